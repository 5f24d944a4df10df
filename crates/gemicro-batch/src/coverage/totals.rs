//! Sums over lines and functions.

use std::ops::AddAssign;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How much of something is covered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Totals {
    /// Lines that can run, as the report counts them.
    pub lines: u64,
    /// Those of them that ran.
    pub covered: u64,
    /// Functions; the instances of a template that begin at one line are one.
    pub functions: u64,
    /// Those of them that were called.
    pub functions_covered: u64,
}

impl Totals {
    /// The covered part of the lines, in percent with two digits. It is 100 only where every line is covered, and 0 where
    /// there is none: what was not measured proves nothing.
    #[must_use]
    pub fn percent(&self) -> f64 {
        percent(self.covered, self.lines)
    }

    /// The same with one digit, rounded down: `74.2 %`.
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

/// The totals of all files, as answers have them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CoverageSummary {
    /// Lines that can run, as the report counts them.
    pub lines: u64,
    /// Lines that ran at least once.
    pub covered: u64,
    /// The same in percent.
    pub percent: f64,
    /// How many functions the reports name.
    pub functions: u64,
    /// Those that were called.
    pub functions_covered: u64,
    /// How many files the totals cover.
    pub files: u64,
}

/// Rounded down, so that a missing line always shows.
fn percent(covered: u64, all: u64) -> f64 {
    if all == 0 {
        return 0.0;
    }
    let hundredths = u128::from(covered) * 10_000 / u128::from(all);
    let hundredths = u32::try_from(hundredths).unwrap_or(10_000);
    f64::from(hundredths) / 100.0
}
