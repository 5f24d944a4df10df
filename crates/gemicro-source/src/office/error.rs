//! Reasons why a document gives no text: [`OfficeError`].

/// Maximum number of files inside one document.
pub(super) const MAX_ENTRIES: usize = 10_000;
/// Maximum size of all files inside one document when unpacked, in bytes.
pub(super) const MAX_UNPACKED: u64 = 200 << 20;
/// Maximum nesting depth of XML elements.
pub(super) const MAX_DEPTH: usize = 256;
/// Maximum length of the text of one document, in bytes.
pub(super) const MAX_TEXT: usize = 16 << 20;

/// Why a document was skipped, as reported to the user.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum OfficeError {
    /// It needs a password.
    #[error("encrypted, cannot be read")]
    Encrypted,
    /// It is damaged, or its name does not match its content.
    #[error("broken: {0}")]
    Broken(String),
    /// It contains nothing visible to readers.
    #[error("no text to read: {0}")]
    Hidden(String),
    /// Pages without any text.
    #[error("{0} without text (scanned?)")]
    Scanned(String),
    /// A zip bomb, or a document for which the limit is too small.
    #[error("unpacks to more than {} MB", MAX_UNPACKED >> 20)]
    Unpacked,
    /// Too many files in a zip file.
    #[error("contains more than {MAX_ENTRIES} files")]
    Entries,
    /// XML nested so deeply that it could exhaust the stack.
    #[error("its XML is nested deeper than {MAX_DEPTH} elements")]
    Depth,
    /// A document type definition, whose entities can grow without limit.
    #[error("its XML has a document type definition, which office files do not have")]
    DocumentType,
    #[error("contains more than {} MB of text", MAX_TEXT >> 20)]
    Text,
    /// It contains no text.
    #[error("empty")]
    Empty,
}

impl OfficeError {
    pub(super) fn broken_file(why: impl std::fmt::Display) -> Self {
        Self::Broken(why.to_string())
    }
}
