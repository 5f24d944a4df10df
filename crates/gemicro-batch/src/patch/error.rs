//! Errors of patches. The messages are written for the model.

use std::fmt;

use gemicro_event::{ErrorKind, Failure};

use super::path::PathError;

/// A patch that cannot be read, is not allowed or does not apply. Nothing of it is used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum PatchError {
    /// The answer has no file, replacement or diff in it.
    #[error(
        "the answer holds no test: {why}; write `File: ` and the path of the test file on a line, and below it the whole \
         file in one ``` block"
    )]
    NoPatch {
        /// The reason, as a phrase.
        why: &'static str,
    },
    /// The answer is too long.
    #[error("the answer has {n_bytes} bytes; at most {most} are read: propose a smaller patch")]
    TooLong {
        n_bytes: usize,
        /// Maximum size in bytes.
        most: usize,
    },
    /// It touches too many files.
    #[error("the patch touches more than {most} files: propose a smaller one")]
    TooManyFiles {
        /// Maximum number of files.
        most: usize,
    },
    /// It has too many hunks.
    #[error("the patch has more than {most} hunks: propose a smaller one")]
    TooManyHunks {
        /// Maximum number of hunks.
        most: usize,
    },
    /// It cannot be parsed.
    #[error("line {line} of the answer: {message}")]
    Malformed {
        /// The line, from 1.
        line: usize,
        /// The problem, and what is expected.
        message: String,
    },
    /// A path is not allowed in a patch.
    #[error(transparent)]
    Path(#[from] PathError),
    /// A kind of change that is not allowed.
    #[error("`{path}`: {change} is not allowed; a patch may only create files and change their lines")]
    Refused {
        path: String,
        /// The refused change.
        change: RefusedChange,
    },
    /// Two parts of the patch are about the same file.
    #[error("`{path}` is in the answer twice; write each file once, with all its changes")]
    Twice { path: String },
    /// The file to create already exists.
    #[error("`{path}` already exists; choose another name")]
    Exists { path: String },
    /// The file to change does not exist.
    #[error("`{path}` does not exist and cannot be changed; answer with the whole file to create it")]
    Missing { path: String },
    /// A file could not be read.
    #[error("`{path}` could not be read: {why}")]
    Unreadable {
        path: String,
        /// The message of the system or the decoder.
        why: String,
    },
    /// The lines of a hunk are not in the file.
    #[error(
        "`{path}`, hunk {hunk}: the file has no such lines; it differs first at `{expected}`, where line {line} of the \
         file is:\n{found}"
    )]
    NotFound {
        path: String,
        /// Number of the hunk, from 1.
        hunk: usize,
        /// The first line of the hunk that does not fit.
        expected: String,
        /// The line of the file that it was compared with, from 1.
        line: usize,
        /// Some lines of the file around it, with their numbers.
        found: String,
    },
    /// The file already has the hunk's new lines, and not its old ones.
    #[error(
        "`{path}`, hunk {hunk}: already applied, the file has these lines from line {line} on; leave it out"
    )]
    AlreadyApplied {
        path: String,
        /// Number of the hunk, from 1.
        hunk: usize,
        /// Line in the file, counted from 1.
        line: usize,
    },
    /// A hunk only adds lines, without context.
    #[error(
        "`{path}`, hunk {hunk}: it adds lines without any line around them; show up to three lines before and after"
    )]
    NoContext {
        path: String,
        /// Number of the hunk, from 1.
        hunk: usize,
    },
    /// The new text is the old one.
    #[error("`{path}`: the answer changes nothing in it; leave it out")]
    ChangesNothing { path: String },
}

/// Changes that no patch may make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RefusedChange {
    /// The patch deletes the file.
    Delete,
    /// The file is renamed or copied, or its two sides have different names.
    Rename,
    /// The mode is changed, or a file is created with this mode.
    Mode(String),
    /// The file is or becomes a symbolic link.
    SymbolicLink,
    /// The path is a Git submodule.
    Submodule,
    /// The file is not text.
    Binary,
}

impl fmt::Display for RefusedChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Delete => f.write_str("deleting it"),
            Self::Rename => f.write_str("renaming or copying it"),
            Self::Mode(mode) => write!(f, "the mode `{mode}`"),
            Self::SymbolicLink => f.write_str("a symbolic link"),
            Self::Submodule => f.write_str("a submodule"),
            Self::Binary => f.write_str("a binary change"),
        }
    }
}

impl From<PatchError> for Failure {
    fn from(error: PatchError) -> Self {
        Self::new(ErrorKind::InvalidInput, error.to_string())
    }
}
