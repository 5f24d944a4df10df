//! Errors of reading a report, without the report's name.

use std::io;

use super::stoppable_reader::Halt;
use crate::coverage::error::CoverageError;

/// A report cannot be read.
#[derive(Debug)]
pub(super) enum ReportError {
    Empty,
    /// The file is not a report of a known format.
    OtherFormat(String),
    /// It exceeds a limit.
    TooLarge(String),
    /// It cannot be parsed.
    Malformed {
        place: String,
        message: String,
    },
    /// Reading its bytes failed.
    Io(io::Error),
}

impl ReportError {
    /// A fault at a position.
    pub(super) fn malformed(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Malformed {
            place: place.into(),
            message: message.into(),
        }
    }

    /// Adds the name of the report.
    pub(super) fn of_report(self, path: &str) -> CoverageError {
        let path = path.to_owned();
        match self {
            Self::Empty => CoverageError::Empty { path },
            Self::OtherFormat(what) => CoverageError::OtherFormat { path, what },
            Self::TooLarge(what) => CoverageError::TooLarge { path, what },
            Self::Malformed { place, message } => CoverageError::Malformed { path, place, message },
            Self::Io(error) => match Halt::of(&error) {
                Some(Halt::Stopped) => CoverageError::Stopped,
                Some(Halt::TooLarge) => CoverageError::too_many_bytes(&path),
                None => CoverageError::Unreadable { path, source: error },
            },
        }
    }
}

impl From<io::Error> for ReportError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}
