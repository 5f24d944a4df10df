//! The path of a document named by an agent.
//!
//! The main type is [`DocumentPath`]; every value is valid. Whether it is an existing regular file is looked up in the
//! commit, never in a folder.

use std::fmt;

/// The folder of the pipeline's documents, relative to the repository root.
pub const DOCUMENT_FOLDER: &str = "docs/dev_docs/";

const MAX_BYTES: usize = 1024;

/// Path of a document in the repository: relative, below [`DOCUMENT_FOLDER`], and without `..` or similar.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DocumentPath(String);

/// The path is not that of a document.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the path of the document {why}; name a file below {DOCUMENT_FOLDER}")]
pub struct PathRefused {
    /// What is wrong with it, to follow "the path".
    pub why: &'static str,
}

impl DocumentPath {
    /// Accepts a path written by an agent.
    ///
    /// # Errors
    /// When it is too long, absolute, outside of the document folder, a folder, or has an invalid part, a backslash or
    /// a control character.
    pub fn parse(path: &str) -> Result<Self, PathRefused> {
        match fault(path) {
            Some(why) => Err(PathRefused { why }),
            None => Ok(Self(path.to_owned())),
        }
    }

    /// The path, relative to the repository root.
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
