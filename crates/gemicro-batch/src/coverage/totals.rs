//! Totals of lines and functions.

use std::ops::AddAssign;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Coverage totals.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Totals {
    /// Executable lines, as the report counts them.
    pub lines: u64,
    /// Lines that ran.
    pub covered: u64,
    /// Functions; template instances that begin at the same line count once.
    pub functions: u64,
    /// Functions that were called.
    pub functions_covered: u64,
}

impl Totals {
    /// Line coverage in percent, rounded down to two decimals: 100 only if every line is covered. It is 0 if there
    /// are no lines, because nothing was measured.
    #[must_use]
    pub fn percent(&self) -> f64 {
        percent(self.covered, self.lines)
    }

    /// The same as text with one decimal, rounded down: `74.2 %`.
    #[must_use]
    pub fn percent_text(&self) -> String {
        let mut shown = format!("{:.2}", self.percent());
        shown.pop();
        format!("{shown} %")
    }

    /// The same for functions.
    #[must_use]
    pub fn functions_percent(&self) -> f64 {
        percent(self.functions_covered, self.functions)
    }
}

impl AddAssign for Totals {
    fn add_assign(&mut self, other: Self) {
        self.lines += other.lines;
        self.covered += other.covered;
        self.functions += other.functions;
        self.functions_covered += other.functions_covered;
    }
}

/// The totals of all files, as used in answers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CoverageSummary {
    /// Executable lines, as the report counts them.
    pub lines: u64,
    /// Lines that ran at least once.
    pub covered: u64,
    /// Line coverage in percent.
    pub percent: f64,
    /// Number of functions in the reports.
    pub functions: u64,
    /// Functions that were called.
    pub functions_covered: u64,
    /// Number of files.
    pub files: u64,
}

/// Rounds down, so that a single uncovered line always shows.
fn percent(covered: u64, all: u64) -> f64 {
    if all == 0 {
        return 0.0;
    }
    let hundredths = u128::from(covered) * 10_000 / u128::from(all);
    let hundredths = u32::try_from(hundredths).unwrap_or(10_000);
    f64::from(hundredths) / 100.0
}
