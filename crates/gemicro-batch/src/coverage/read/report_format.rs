//! The formats of reports, detected from the first bytes.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::read_error::ReportError;

/// The file format of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReportFormat {
    /// The tracefiles of lcov, also written by llvm-cov, grcov and coverage.py.
    Lcov,
    /// The JSON of `llvm-cov export`.
    LlvmJson,
    /// The XML of Cobertura, also written by gcovr, grcov and coverage.py.
    Cobertura,
}

impl ReportFormat {
    /// Detects the format from the start of a report.
    pub(super) fn of(beginning: &[u8]) -> Result<Self, ReportError> {
        let beginning = beginning.strip_prefix(b"\xef\xbb\xbf").unwrap_or(beginning);
        let beginning = beginning.trim_ascii_start();
        match beginning.first() {
            None => Err(ReportError::Empty),
            Some(b'<') => Ok(Self::Cobertura),
            Some(b'{') => Ok(Self::LlvmJson),
            Some(b'#') => Ok(Self::Lcov),
            Some(_) if is_record(beginning) => Ok(Self::Lcov),
            Some(_) => Err(ReportError::OtherFormat("of an unknown format".to_owned())),
        }
    }
}

impl fmt::Display for ReportFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Lcov => "LCOV",
            Self::LlvmJson => "llvm-cov JSON",
            Self::Cobertura => "Cobertura",
        })
    }
}

/// Whether the text starts with two to five capital letters and a colon, as every LCOV record does.
fn is_record(beginning: &[u8]) -> bool {
    let n_capitals = beginning
        .iter()
        .take_while(|byte| byte.is_ascii_uppercase())
        .count();
    (2..=5).contains(&n_capitals) && beginning.get(n_capitals) == Some(&b':')
}
