//! Why a document gives no text: [`OfficeError`].

/// Files inside one document, at most.
pub(super) const MAX_ENTRIES: usize = 10_000;
/// Bytes of all files inside one document, unpacked.
pub(super) const MAX_UNPACKED: u64 = 200 << 20;
/// Elements around an element of XML.
pub(super) const MAX_DEPTH: usize = 256;
/// Bytes of text of one document.
pub(super) const MAX_TEXT: usize = 16 << 20;

/// What the report of skipped files says about a document.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum OfficeError {
    /// It needs a password.
    #[error("encrypted, cannot be read")]
    Encrypted,
    /// It is not what its name says, or damaged.
    #[error("broken: {0}")]
    Broken(String),
    /// What it holds is not for readers.
    #[error("no text to read: {0}")]
    Hidden(String),
    /// Pages without a letter on them.
    #[error("{0} without text (scanned?)")]
    Scanned(String),
    /// A zip bomb, or a document for which the limit is too small.
    #[error("unpacks to more than {} MB", MAX_UNPACKED >> 20)]
    Unpacked,
    /// Too many files in a zip file.
    #[error("holds more than {MAX_ENTRIES} files")]
    Entries,
    /// XML that would exhaust the stack of a careless reader.
    #[error("its XML is nested deeper than {MAX_DEPTH} elements")]
    Depth,
    /// Entities can be defined there, and grow without bound.
    #[error("its XML has a document type definition, which office files do not have")]
    DocumentType,
    /// Too much text.
    #[error("holds more than {} MB of text", MAX_TEXT >> 20)]
    Text,
    /// No letter in it.
    #[error("empty")]
    Empty,
}

impl OfficeError {
    pub(super) fn broken_file(why: impl std::fmt::Display) -> Self {
        Self::Broken(why.to_string())
    }
}
