//! Reads from the output of a test run how many tests ran.
//!
//! [`counted`] knows the summaries of the usual test programs, one file per family. Every summary in the output counts: a
//! check may run several suites. Skipped and ignored tests did not run. An output that nobody here knows, or a suite that
//! does not say its number, gives nothing: no claim, and in particular not 0.

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
    /// Tests that were there and did not run.
    pub n_skipped: u64,
}

/// Reads how many tests ran; nothing when the output does not say.
pub fn counted(output: &str) -> Option<Count> {
    let text = line::plain(output);
    let lines: Vec<&str> = text.lines().collect();
    let mut total = Tally::Absent;
    for read in READERS {
        total = match (total, read(&lines)) {
            (total, Tally::Absent) | (Tally::Absent, total) => total,
            (Tally::Uncounted, _) | (_, Tally::Uncounted) => return None,
            (Tally::Counted(total), Tally::Counted(count)) => Tally::Counted(total.plus(count)),
        };
    }
    // Any test can print such lines: they count where no other program gave a number.
    match total.or(|| tap::protocol(&lines)) {
        Tally::Absent | Tally::Uncounted => None,
        Tally::Counted(count) => Some(count),
    }
}

impl Count {
    fn plus(self, other: Self) -> Self {
        Self {
            n_run: self.n_run.saturating_add(other.n_run),
            n_skipped: self.n_skipped.saturating_add(other.n_skipped),
        }
    }
}

/// What one family of test programs said.
enum Tally {
    /// It did not run, as far as can be seen.
    Absent,
    /// It ran tests and did not say how many.
    Uncounted,
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
            Self::Uncounted | Self::Counted(_) => self,
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
