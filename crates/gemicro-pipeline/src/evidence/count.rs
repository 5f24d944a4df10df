//! Reads from the output of a test run how many tests ran, and how many of them failed.
//!
//! [`counted`] knows the summaries of the usual test programs, one file per family. Every summary in the output counts: a
//! check may run several suites. Skipped and ignored tests did not run. An output that nobody here knows, or a suite that
//! does not say its number, gives nothing: no claim, and in particular not 0. [`failures`] are told whether or not the
//! number is.

mod c_family;
mod go;
mod javascript;
mod line;
mod managed;
mod python;
mod rust;
mod scripting;
mod tap;

pub(super) use line::plain;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How many tests a run had.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Count {
    /// Tests that ran, whatever came out.
    pub n_run: u64,
    /// Those of them that failed, and what else failed beside them.
    pub n_failed: u64,
    /// Tests that were there and did not run.
    pub n_skipped: u64,
}

/// Reads how many tests ran; nothing when the output does not say.
pub fn counted(output: &str) -> Option<Count> {
    let mut total: Option<Count> = None;
    for tally in tallies(output) {
        match tally {
            Tally::Absent => {}
            Tally::Uncounted(_) => return None,
            Tally::Counted(count) => total = Some(total.unwrap_or_default().plus(count)),
        }
    }
    total
}

/// How many tests failed, as far as the output says it.
pub(super) fn failures(output: &str) -> u64 {
    let n_failed = tallies(output).into_iter().map(|tally| match tally {
        Tally::Absent => 0,
        Tally::Uncounted(n_failed) => n_failed,
        Tally::Counted(count) => count.n_failed,
    });
    n_failed.fold(0, u64::saturating_add)
}

fn tallies(output: &str) -> Vec<Tally> {
    let text = line::plain(output);
    let lines: Vec<&str> = text.lines().collect();
    let mut said: Vec<Tally> = READERS.iter().map(|read| read(&lines)).collect();
    // Any test can print such lines: they count where no other program said anything.
    if said.iter().all(|tally| matches!(tally, Tally::Absent)) {
        said.push(tap::protocol(&lines));
    }
    said
}

impl Count {
    fn plus(self, other: Self) -> Self {
        Self {
            n_run: self.n_run.saturating_add(other.n_run),
            n_failed: self.n_failed.saturating_add(other.n_failed),
            n_skipped: self.n_skipped.saturating_add(other.n_skipped),
        }
    }

    /// The same, of which so many failed.
    fn failing(self, n_failed: u64) -> Self {
        Self { n_failed, ..self }
    }
}

/// What one family of test programs said.
enum Tally {
    /// It did not run, as far as can be seen.
    Absent,
    /// It ran tests and did not say how many; of so many it said that they failed.
    Uncounted(u64),
    /// It said how many.
    Counted(Count),
}

impl Tally {
    /// The sum of what several lines said.
    fn of(counts: impl IntoIterator<Item = Count>) -> Self {
        match counts.into_iter().reduce(Count::plus) {
            None => Self::Absent,
            Some(count) => Self::Counted(count),
        }
    }

    /// This, or the other where this says nothing.
    fn or(self, other: impl FnOnce() -> Self) -> Self {
        match self {
            Self::Absent => other(),
            Self::Uncounted(_) | Self::Counted(_) => self,
        }
    }
}

const READERS: &[fn(&[&str]) -> Tally] = &[
    rust::cargo,
    rust::nextest,
    python::pytest,
    python::unittest,
    go::go,
    javascript::jest,
    javascript::vitest,
    javascript::mocha,
    javascript::bun,
    javascript::deno,
    c_family::gtest,
    c_family::ctest,
    c_family::catch,
    c_family::meson,
    managed::surefire,
    managed::junit,
    managed::gradle,
    managed::dotnet,
    scripting::rspec,
    scripting::minitest,
    scripting::phpunit,
    scripting::exunit,
    tap::tap,
];

#[cfg(test)]
mod tests;
