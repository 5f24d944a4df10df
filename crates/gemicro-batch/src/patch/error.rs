//! Why a patch is refused. The texts are written so that a model can be told them.

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
        /// What was found instead.
        why: &'static str,
    },
    /// The answer is too long.
    #[error("the answer has {n_bytes} bytes; at most {most} are read: propose a smaller patch")]
    TooLong {
        n_bytes: usize,
        /// What it may have.
        most: usize,
    },
    /// It touches too many files.
    #[error("the patch touches more than {most} files: propose a smaller one")]
    TooManyFiles {
        /// How many it may touch.
        most: usize,
    },
    /// It has too many hunks.
    #[error("the patch has more than {most} hunks: propose a smaller one")]
    TooManyHunks {
        /// How many it may have.
        most: usize,
    },
    /// Its form cannot be read.
    #[error("line {line} of the answer: {message}")]
    Malformed {
        /// The line, from 1.
        line: usize,
        /// What does not fit, and what would.
        message: String,
    },
    /// A path leads where no patch may go.
    #[error(transparent)]
    Path(#[from] PathError),
    /// A file is to be changed in a way that no patch may.
    #[error("`{path}`: {change} is not allowed; a patch may only create files and change their lines")]
    Refused {
        path: String,
        /// What was to be done with it.
        change: RefusedChange,
    },
    /// Two parts of the patch are about the same file.
    #[error("`{path}` is in the answer twice; write each file once, with all its changes")]
    Twice { path: String },
    /// A new file is already there.
    #[error("`{path}` already exists; choose another name")]
    Exists { path: String },
    /// A changed file is not there.
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
        /// Which of its hunks, from 1.
        hunk: usize,
        /// The first line of the hunk that does not fit.
        expected: String,
        /// The line of the file that it was held against, from 1.
        line: usize,
        /// What the file has there: some lines with their numbers.
        found: String,
    },
    /// The file has the hunk's new lines, and not its old ones.
    #[error(
        "`{path}`, hunk {hunk}: already applied, the file has these lines from line {line} on; leave it out"
    )]
    AlreadyApplied {
        path: String,
        /// Which of its hunks, from 1.
        hunk: usize,
        /// Line in the file, counted from 1.
        line: usize,
    },
    /// A hunk only adds lines and does not say where.
    #[error(
        "`{path}`, hunk {hunk}: it adds lines without any line around them; show up to three lines before and after"
    )]
    NoContext {
        path: String,
        /// Which of its hunks, from 1.
        hunk: usize,
    },
    /// The new text is the old one.
    #[error("`{path}`: the answer changes nothing in it; leave it out")]
    ChangesNothing { path: String },
}

/// What no patch may do with a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RefusedChange {
    /// The patch deletes the file.
    Delete,
    /// It is renamed or copied, or its two sides have different names.
    Rename,
    /// It gets another mode, or is created with this one.
    Mode(String),
    /// It is or becomes a symbolic link.
    SymbolicLink,
    /// It is a repository inside the repository.
    Submodule,
    /// It is not text.
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
