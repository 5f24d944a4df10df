//! RSpec, Minitest, PHPUnit, ExUnit and bats.

use super::line::{after, number, of_total, parts, tally};
use super::{Count, Tally};

/// `5 examples, 0 failures, 1 pending`.
pub(super) fn rspec(lines: &[&str]) -> Tally {
    Tally::of(lines.iter().filter_map(|line| {
        let parts = parts(line.trim(), ',')?;
        let is_first = parts
            .first()
            .is_some_and(|(_, word)| word == "example" || word == "examples");
        let count = tally(
            &parts,
            &["example", "examples"],
            &[
                "failure",
                "failures",
                "error occurred outside of examples",
                "errors occurred outside of examples",
            ],
            &["pending"],
            &[],
        )?;
        (is_first && parts.len() > 1).then(|| of_total(count.n_run, count.n_skipped).failing(count.n_failed))
    }))
}

/// `5 runs, 8 assertions, 0 failures, 0 errors, 1 skips`.
pub(super) fn minitest(lines: &[&str]) -> Tally {
    Tally::of(lines.iter().filter_map(|line| {
        let parts = parts(line.trim(), ',')?;
        let has_assertions = parts
            .get(1)
            .is_some_and(|(_, word)| word.starts_with("assertion"));
        let count = tally(
            &parts,
            &["run", "runs", "tests"],
            &["failure", "failures", "error", "errors"],
            &["skip", "skips", "pendings", "omissions"],
            &["assertion", "assertions", "notifications"],
        )?;
        has_assertions.then(|| of_total(count.n_run, count.n_skipped).failing(count.n_failed))
    }))
}

/// `OK (5 tests, 8 assertions)`, `Tests: 5, Assertions: 8, Failures: 1, Skipped: 1.`, `No tests executed!`.
pub(super) fn phpunit(lines: &[&str]) -> Tally {
    Tally::of(lines.iter().filter_map(|line| {
        let line = line.trim();
        if line == "No tests executed!" {
            return Some(Count::default());
        }
        if let Some(rest) = line.strip_prefix("OK (") {
            let (n_run, rest) = number(rest)?;
            let is_summary = rest.starts_with(" test") && rest.contains("assertion");
            return is_summary.then_some(of_total(n_run, 0));
        }
        let (total, rest) = number(line.strip_prefix("Tests:")?)?;
        let of = |label| after(rest, label).unwrap_or_default();
        let (n_skipped, n_failed) = (
            of("Skipped:") + of("Incomplete:"),
            of("Failures:") + of("Errors:"),
        );
        rest.contains("Assertions:")
            .then(|| of_total(total, n_skipped).failing(n_failed))
    }))
}

/// `2 doctests, 5 tests, 0 failures, 1 skipped`, `There are no tests to run`; bats writes `5 tests, 0 failures` too.
pub(super) fn exunit(lines: &[&str]) -> Tally {
    Tally::of(lines.iter().filter_map(|line| {
        let line = line.trim();
        if line == "There are no tests to run" {
            return Some(Count::default());
        }
        let parts = parts(line, ',')?;
        let has = |words: &[&str]| parts.iter().any(|(_, word)| words.contains(&word.as_str()));
        let count = tally(
            &parts,
            &["test", "tests", "doctest", "doctests", "property", "properties"],
            &["failure", "failures", "invalid"],
            &["skipped", "excluded"],
            &["not run"],
        )?;
        let is_summary = has(&["test", "tests", "doctest", "doctests"]) && has(&["failure", "failures"]);
        is_summary.then(|| of_total(count.n_run, count.n_skipped).failing(count.n_failed))
    }))
}
