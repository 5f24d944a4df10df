//! Reads from the output of a test run how many tests ran, and how many of them failed.
//!
//! [`count_tests`] knows the summaries of the usual test programs: `families.toml` has a row for each, `go` and `tap` read
//! what is no summary. Every summary in the output counts: a
//! check may run several suites. Skipped and ignored tests did not run. An output that nobody here knows, or a suite that
//! does not say its number, gives nothing: no claim, and in particular not 0. [`failures`] are told whether or not the
//! number is, and no summary outvotes one that tells of some. [`by_family`] says who counted, so that no other family can
//! stand in for one of the base.
//!
//! The limit: who writes the scripts of a suite can print one more summary of the same family, as an honest second suite
//! does. Where tests are named that is noticed (see `names`); elsewhere it is for a reviewer to see.

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

/// How many tests a run had.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Count")]
pub struct TestCount {
    /// Tests that ran, whatever came out.
    pub n_run: u64,
    /// Those of them that failed, and what else failed beside them.
    pub n_failed: u64,
    /// Tests that were there and did not run.
    pub n_skipped: u64,
}

/// Reads how many tests ran; nothing when the output does not say.
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

/// How many tests ran by the word of each family that counted some.
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

/// How many tests failed, as far as the output says it.
pub(super) fn failures(output: &str) -> u64 {
    let reading = OutputReading::of(output);
    let n_failed = reading.families.iter().map(|(_, tally)| tally.n_failed());
    // The stream of a family's own tests tells of the same failures as its summary.
    n_failed
        .fold(0, u64::saturating_add)
        .max(reading.stream.1.n_failed())
}

/// What an output says.
struct OutputReading {
    /// By the summary of each family.
    families: Vec<(&'static str, FamilyTally)>,
    /// By lines of the Test Anything Protocol.
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

    /// What gives the number. Any test can print lines of the protocol: they do where no other family said anything.
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

    /// The same, of which so many failed.
    fn with_failures(self, n_failed: u64) -> Self {
        Self { n_failed, ..self }
    }
}

/// What one family of test programs said.
enum FamilyTally {
    /// It did not run, as far as can be seen.
    Absent,
    /// It ran tests and did not say how many; of so many it said that they failed.
    Uncounted(u64),
    /// It said how many.
    Counted(TestCount),
}

impl FamilyTally {
    /// This, or the other where this says nothing. Failures of which either tells count: they are the same ones.
    fn or(self, other: Self) -> Self {
        match self {
            Self::Absent => other,
            Self::Uncounted(_) | Self::Counted(_) => self.with_failures(other.n_failed()),
        }
    }

    /// The same, with at least so many failures.
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
