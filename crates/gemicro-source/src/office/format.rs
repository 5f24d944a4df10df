//! The supported files: [`OfficeFormat`], recognised by the file name.

/// Formats that share a parser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OfficeFormat {
    Pdf,
    /// A zip file of XML: Office Open XML, OpenDocument, EPUB. The files inside decide which one.
    Archive,
    Mail,
}

impl OfficeFormat {
    /// The format of a file with this name; `None` for a file that is read as text.
    pub(crate) fn of(name: &str) -> Option<Self> {
        let (_, extension) = name.rsplit_once('.')?;
        match extension.to_ascii_lowercase().as_str() {
            "pdf" => Some(Self::Pdf),
            "docx" | "docm" | "dotx" | "pptx" | "pptm" | "ppsx" | "xlsx" | "xlsm" | "xltx" | "odt"
            | "ods" | "odp" | "ott" | "epub" => Some(Self::Archive),
            "eml" => Some(Self::Mail),
            _ => None,
        }
    }

    /// The media type for the ledger.
    pub(crate) fn media_type(self) -> &'static str {
        match self {
            Self::Pdf => "application/pdf",
            Self::Archive => "application/zip",
            Self::Mail => "message/rfc822",
        }
    }
}
