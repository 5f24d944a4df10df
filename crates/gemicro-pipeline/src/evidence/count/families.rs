//! The table of test runners, `families.toml`: how each reports the number of tests.

use std::sync::LazyLock;

use regex::{Regex, RegexBuilder};
use serde::Deserialize;

use super::{FamilyTally, TestCount};

/// All test runners in the table.
pub(super) static FAMILIES: LazyLock<Vec<Family>> = LazyLock::new(|| {
    let table: Table = toml::from_str(include_str!("families.toml")).expect("the table is whole");
    table.family
});

#[derive(Deserialize)]
struct Table {
    family: Vec<Family>,
}

/// Test runners with the same summary format.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Family {
    pub(super) name: String,
    also_failed: Option<Pattern>,
    summary: Vec<FamilySummary>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FamilySummary {
    at: Pattern,
    run: Option<Pattern>,
    total: Option<Pattern>,
    failed: Option<Pattern>,
    skipped: Option<Pattern>,
    /// The summary says that tests ran, but not how many.
    #[serde(default)]
    uncounted: bool,
}

#[derive(Deserialize)]
#[serde(try_from = "String")]
struct Pattern(Regex);

impl TryFrom<String> for Pattern {
    type Error = regex::Error;

    fn try_from(text: String) -> Result<Self, regex::Error> {
        RegexBuilder::new(&text).multi_line(true).build().map(Self)
    }
}

impl Family {
    /// Reads output, without colour codes, in the format of this runner.
    pub(super) fn read(&self, text: &str) -> FamilyTally {
        let summaries = self.summary.iter().map(|summary| summary.read(text));
        let n_failed = sum(self.also_failed.as_ref(), text).unwrap_or_default();
        summaries
            .fold(FamilyTally::Absent, FamilyTally::or)
            .with_failures(n_failed)
    }
}

impl FamilySummary {
    fn read(&self, text: &str) -> FamilyTally {
        let all = self.at.0.find_iter(text).filter_map(|found| {
            let of = |pattern: &Option<Pattern>| sum(pattern.as_ref(), found.as_str());
            let count = TestCount {
                n_run: of(&self.run)?,
                n_failed: of(&self.failed)?,
                n_skipped: of(&self.skipped)?,
            };
            Some((count, of(&self.total)?))
        });
        let added =
            all.reduce(|(count, total), (other, more)| (count.plus(other), total.saturating_add(more)));
        match added {
            None => FamilyTally::Absent,
            Some((count, _)) if self.uncounted => FamilyTally::Uncounted(count.n_failed),
            Some((count, total)) => FamilyTally::Counted(TestCount {
                n_run: count.n_run.saturating_add(total.saturating_sub(count.n_skipped)),
                ..count
            }),
        }
    }
}

/// Adds up the numbers that a pattern finds. `None` if a number overflows.
fn sum(pattern: Option<&Pattern>, text: &str) -> Option<u64> {
    let Some(Pattern(pattern)) = pattern else {
        return Some(0);
    };
    let numbers = pattern.captures_iter(text).map(|found| match found.get(1) {
        Some(number) => number.as_str().parse().ok(),
        None => Some(1),
    });
    numbers
        .reduce(|sum, number: Option<u64>| sum?.checked_add(number?))
        .unwrap_or(Some(0))
}
