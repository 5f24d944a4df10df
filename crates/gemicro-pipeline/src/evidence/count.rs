//! Reads from the output of a test run how many tests ran, and how many of them failed.
//!
//! [`count_tests`] reads the summaries of common test runners: `families.toml` has a row for each, and `go` and `tap`
//! read output without a summary. All summaries are added up, because a check may run several suites. Skipped and
//! ignored tests did not run. If the output is unknown, or a suite does not give a number, the result is `None`,
//! never 0. [`failures`] are reported even if the number of tests is unknown; one passing summary does not hide
//! failures in another. [`by_family`] counts per test runner, so that one runner cannot replace another unnoticed.
//!
//! Limitation: a suite's scripts can print an extra summary in the format of the same runner, as a real second suite
//! does. `names` detects this if the runner prints test names; otherwise a reviewer has to notice it.

mod families;
mod go;
mod line;
mod tap;

use std::collections::BTreeMap;

use families::FAMILIES;
pub(super) use line::plain;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
pub(super) use tap::{TapOutcome, result as tap_result};

/// Number of tests in a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Count")]
pub struct TestCount {
    /// Tests that ran, passed or failed.
    pub n_run: u64,
    /// Failed tests and other reported failures.
    pub n_failed: u64,
    /// Tests that exist but did not run.
    pub n_skipped: u64,
}

/// Returns how many tests ran, or `None` if the output does not say.
pub fn count_tests(output: &str) -> Option<TestCount> {
    let mut total: Option<TestCount> = None;
    for (_, tally) in OutputReading::of(output).counting_families() {
        match tally {
            FamilyTally::Absent => {}
            FamilyTally::Uncounted(_) => return None,
            FamilyTally::Counted(count) => total = Some(total.unwrap_or_default().plus(*count)),
        }
    }
    total
}

/// Returns how many tests ran per test runner.
pub fn by_family(output: &str) -> BTreeMap<String, u64> {
    let reading = OutputReading::of(output);
    let counts = reading
        .counting_families()
        .filter_map(|(family, tally)| match tally {
            FamilyTally::Counted(count) if count.n_run > 0 => Some(((*family).to_owned(), count.n_run)),
            FamilyTally::Absent | FamilyTally::Uncounted(_) | FamilyTally::Counted(_) => None,
        });
    counts.collect()
}

/// Returns how many tests failed according to the output.
pub(super) fn failures(output: &str) -> u64 {
    let reading = OutputReading::of(output);
    let n_failed = reading.families.iter().map(|(_, tally)| tally.n_failed());
    // A runner's TAP stream and its summary report the same failures.
    n_failed
        .fold(0, u64::saturating_add)
        .max(reading.stream.1.n_failed())
}

/// The test counts found in one output.
struct OutputReading {
    /// Counts from the summary of each test runner.
    families: Vec<(&'static str, FamilyTally)>,
    /// Count from lines of the Test Anything Protocol (TAP).
    stream: (&'static str, FamilyTally),
}

impl OutputReading {
    fn of(output: &str) -> Self {
        let text = line::plain(output);
        let lines: Vec<&str> = text.lines().collect();
        Self {
            families: FAMILIES
                .iter()
                .map(|family| (family.name.as_str(), family.read(&text)))
                .chain([("go", go::go(&lines))])
                .collect(),
            stream: ("tap", tap::protocol(&lines)),
        }
    }

    /// Returns the counts to add up. Any test can print TAP lines, so they count only if no other runner was found.
    fn counting_families(&self) -> impl Iterator<Item = &(&'static str, FamilyTally)> {
        let is_silent = self
            .families
            .iter()
            .all(|(_, tally)| matches!(tally, FamilyTally::Absent));
        let stream = Some(&self.stream).filter(|_| is_silent);
        self.families.iter().chain(stream)
    }
}

impl TestCount {
    fn plus(self, other: Self) -> Self {
        Self {
            n_run: self.n_run.saturating_add(other.n_run),
            n_failed: self.n_failed.saturating_add(other.n_failed),
            n_skipped: self.n_skipped.saturating_add(other.n_skipped),
        }
    }

    /// Returns the same count with the given number of failures.
    fn with_failures(self, n_failed: u64) -> Self {
        Self { n_failed, ..self }
    }
}

/// The count of one test runner.
enum FamilyTally {
    /// The runner did not run, judging by the output.
    Absent,
    /// Tests ran, but their number is unknown. Holds the number of reported failures.
    Uncounted(u64),
    /// The number of tests is known.
    Counted(TestCount),
}

impl FamilyTally {
    /// Returns `self`, or `other` if `self` is absent. Both report the same failures, so the larger number counts.
    fn or(self, other: Self) -> Self {
        match self {
            Self::Absent => other,
            Self::Uncounted(_) | Self::Counted(_) => self.with_failures(other.n_failed()),
        }
    }

    /// Returns the same tally with at least this many failures.
    fn with_failures(self, n_failed: u64) -> Self {
        match self {
            Self::Absent if n_failed == 0 => Self::Absent,
            Self::Absent => Self::Uncounted(n_failed),
            Self::Uncounted(known) => Self::Uncounted(known.max(n_failed)),
            Self::Counted(count) => Self::Counted(count.with_failures(count.n_failed.max(n_failed))),
        }
    }

    fn n_failed(&self) -> u64 {
        match self {
            Self::Absent => 0,
            Self::Uncounted(n_failed) => *n_failed,
            Self::Counted(count) => count.n_failed,
        }
    }
}

#[cfg(test)]
mod tests;
