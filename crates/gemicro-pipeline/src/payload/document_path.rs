//! The path of a document that an agent names.
//!
//! The main type is [`DocumentPath`]: who holds one needs not check it again. Whether the file is there, and a plain file,
//! is asked of the commit that holds it, never of a folder.

use std::fmt;

/// Where documents of the pipeline live, from the top of the repository on.
pub const DOCUMENT_FOLDER: &str = "docs/dev_docs/";

const MAX_BYTES: usize = 1024;

/// Names a document in the repository: relative, below [`DOCUMENT_FOLDER`], and without tricks.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DocumentPath(String);

/// The path is none of a document.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the path of the document {why}; name a file below {DOCUMENT_FOLDER}")]
pub struct PathRefused {
    /// What is wrong with it, in words that follow "the path".
    pub why: &'static str,
}

impl DocumentPath {
    /// Takes a path as an agent wrote it.
    ///
    /// # Errors
    /// When it is too long, absolute, outside of the document folder, a folder, or has a part, a backslash or a control
    /// character that no document has.
    pub fn parse(path: &str) -> Result<Self, PathRefused> {
        match fault(path) {
            Some(why) => Err(PathRefused { why }),
            None => Ok(Self(path.to_owned())),
        }
    }

    /// The path from the top of the repository on.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for DocumentPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn fault(path: &str) -> Option<&'static str> {
    if path.len() > MAX_BYTES {
        return Some("is longer than 1,024 bytes");
    }
    if path.starts_with('/') {
        return Some("is absolute");
    }
    if path.contains('\\') {
        return Some("has a backslash");
    }
    if path.chars().any(char::is_control) {
        return Some("has a control character");
    }
    if path.split('/').any(|part| part == "..") {
        return Some("has a part `..`");
    }
    if path.split('/').any(|part| part.eq_ignore_ascii_case(".git")) {
        return Some("has a part `.git`");
    }
    let Some(name) = path.strip_prefix(DOCUMENT_FOLDER) else {
        return Some("is not below the document folder");
    };
    if name.is_empty() || name.ends_with('/') || name.ends_with("/.") || name == "." {
        return Some("is a folder");
    }
    if name.split('/').any(|part| part.is_empty() || part == ".") {
        return Some("has an empty part");
    }
    None
}
