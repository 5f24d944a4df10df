//! Errors of reading coverage.

use gemicro_event::{ErrorKind, Failure};

use super::bounds::{MAX_ANSWER_BYTES, MAX_REPORT_BYTES};

/// Coverage could not be gathered or rendered.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum CoverageError {
    /// None of the usual places has a report.
    #[error(
        "there is no coverage report in {root}; looked for {looked}\nmake one for Rust: cargo llvm-cov --lcov --output-path \
         lcov.info\nmake one for C++ (built with --coverage, tests run): lcov -c -d . -o coverage.info"
    )]
    NoReport {
        /// The folder of the project.
        root: String,
        looked: String,
    },
    /// A report that was named does not exist.
    #[error("there is no report {path}; make it first, or leave `reports` out to look in the usual places")]
    NotFound { path: String },
    /// A report is outside the project, perhaps through a link.
    #[error("the report {path} is not inside {root}; copy it there, or name another")]
    Outside {
        path: String,
        /// The folder of the project.
        root: String,
    },
    /// There are more reports than the limit.
    #[error("{n} reports are more than the {most} that are read at once; name fewer")]
    TooMany {
        /// Number of reports.
        n: usize,
        /// Maximum number of reports.
        most: usize,
    },
    /// The report cannot be opened or read.
    #[error("the report {path} cannot be read: {source}")]
    Unreadable {
        path: String,
        /// The error of the operating system.
        #[source]
        source: std::io::Error,
    },
    /// The report is empty.
    #[error("the report {path} is empty: it names no file; run the tests with coverage again")]
    Empty { path: String },
    /// The report exceeds a size limit.
    #[error("the report {path} is too large: {what}; split it, or leave out what is not the project's")]
    TooLarge {
        path: String,
        /// The limit that it exceeds.
        what: String,
    },
    /// The file has another format.
    #[error("{path} is {what}; reports are LCOV, the JSON of `llvm-cov export` or Cobertura XML")]
    OtherFormat {
        path: String,
        /// The format that it seems to have.
        what: String,
    },
    /// The report cannot be parsed.
    #[error("the report {path} is malformed at {place}: {message}")]
    Malformed {
        path: String,
        /// The position, in lines or bytes.
        place: String,
        /// The input that was found, and the expected one.
        message: String,
    },
    /// The answer is larger than a task's output may be.
    #[error(
        "the answer has {n_bytes} bytes, more than {MAX_ANSWER_BYTES}; ask for one scope, for fewer reports, or for the format \
         text_summary"
    )]
    LongAnswer { n_bytes: usize },
    /// The task was cancelled while reports were read.
    #[error("reading the coverage was cancelled")]
    Stopped,
}

impl CoverageError {
    /// A report with too many bytes.
    pub(super) fn too_many_bytes(path: &str) -> Self {
        Self::TooLarge {
            path: path.to_owned(),
            what: format!("it has more than {MAX_REPORT_BYTES} bytes"),
        }
    }

    /// The kind of this error in events and answers.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::NoReport { .. } | Self::NotFound { .. } => ErrorKind::NotFound,
            Self::Outside { .. } => ErrorKind::PermissionDenied,
            Self::Unreadable { source, .. } => match source.kind() {
                std::io::ErrorKind::PermissionDenied => ErrorKind::PermissionDenied,
                _ => ErrorKind::InvalidInput,
            },
            Self::TooMany { .. }
            | Self::Empty { .. }
            | Self::TooLarge { .. }
            | Self::OtherFormat { .. }
            | Self::Malformed { .. }
            | Self::LongAnswer { .. } => ErrorKind::InvalidInput,
            Self::Stopped => ErrorKind::Cancelled,
        }
    }
}

impl From<CoverageError> for Failure {
    fn from(error: CoverageError) -> Self {
        Self::new(error.kind(), error.to_string())
    }
}
