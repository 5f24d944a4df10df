//! jest, vitest, mocha, jasmine, bun and deno. The test runner of node is in `tap`.

use super::line::{number, of_total, parts, tally};
use super::{Count, Tally};

/// `Tests:       1 failed, 2 skipped, 3 passed, 6 total`, `No tests found`; a file that does not load is in
/// `Test Suites: 1 failed, 1 total` alone.
pub(super) fn jest(lines: &[&str]) -> Tally {
    let n_failed = failed_files(lines, "Test Suites:", ',');
    let tests = Tally::of(lines.iter().filter_map(|line| {
        if line.trim_start().starts_with("No tests found, exiting with code") {
            return Some(Count::default());
        }
        let parts = parts(line.trim().strip_prefix("Tests:")?, ',')?;
        let has_total = parts.iter().any(|(_, word)| word == "total");
        has_total.then(|| {
            tally(
                &parts,
                &["passed", "failed"],
                &["failed"],
                &["skipped", "todo"],
                &["total"],
            )
        })?
    }));
    tests.failing(n_failed)
}

/// How many files of tests failed, by lines with this label.
fn failed_files(lines: &[&str], label: &str, separator: char) -> u64 {
    let lists = lines.iter().filter_map(|line| line.trim().strip_prefix(label));
    let parts = lists.flat_map(|list| list.split(separator)).filter_map(number);
    let failed = parts.filter(|(_, rest)| rest.split_whitespace().next() == Some("failed"));
    failed.map(|(number, _)| number).fold(0, u64::saturating_add)
}

/// `Tests  3 passed | 1 skipped (4)`, `Test Files  1 failed (1)`, `No test files found`.
pub(super) fn vitest(lines: &[&str]) -> Tally {
    let n_failed = failed_files(lines, "Test Files ", '|');
    let tests = Tally::of(lines.iter().filter_map(|line| {
        let line = line.trim();
        if line.starts_with("No test files found, exiting with code") {
            return Some(Count::default());
        }
        let rest = line.strip_prefix("Tests ")?.trim();
        if rest == "no tests" {
            return Some(Count::default());
        }
        let list = rest.strip_suffix(')')?.rsplit_once(" (")?.0;
        tally(
            &parts(list, '|')?,
            &["passed", "failed"],
            &["failed"],
            &["skipped", "todo"],
            &[],
        )
    }));
    tests.failing(n_failed)
}

/// `5 passing (12ms)`, `1 failing`, `2 pending`; of jasmine `5 specs, 0 failures`.
pub(super) fn mocha(lines: &[&str]) -> Tally {
    let word = |line: &str| -> Option<(u64, String)> {
        let (number, rest) = number(line)?;
        let word = rest.split_whitespace().next()?;
        let is_alone = rest
            .split_whitespace()
            .nth(1)
            .is_none_or(|next| next.starts_with('('));
        (rest.starts_with(' ') && is_alone).then(|| (number, word.to_owned()))
    };
    let has_summary = lines
        .iter()
        .any(|line| word(line).is_some_and(|(_, word)| word == "passing"));
    let mocha = lines.iter().filter(|_| has_summary).filter_map(|line| {
        let (number, word) = word(line)?;
        tally(
            &[(number, word)],
            &["passing", "failing"],
            &["failing"],
            &["pending"],
            &[],
        )
    });
    Tally::of(mocha).or(|| {
        Tally::of(lines.iter().filter_map(|line| {
            let parts = parts(line.trim(), ',')?;
            let is_jasmine = parts
                .first()
                .is_some_and(|(_, word)| word == "spec" || word == "specs");
            is_jasmine.then(|| {
                let count = tally(
                    &parts,
                    &["spec", "specs"],
                    &["failure", "failures"],
                    &["pending spec", "pending specs"],
                    &[],
                )?;
                Some(of_total(count.n_run, count.n_skipped).failing(count.n_failed))
            })?
        }))
    })
}

/// ` 5 pass`, ` 1 skip`, ` 0 fail` and then `Ran 6 tests across 1 file.`
pub(super) fn bun(lines: &[&str]) -> Tally {
    Tally::of(lines.iter().enumerate().filter_map(|(idx, line)| {
        let (_, rest) = number(line.trim().strip_prefix("Ran ")?)?;
        if !rest.starts_with(" test across ") && !rest.starts_with(" tests across ") {
            return None;
        }
        let summary = lines[idx.saturating_sub(8)..idx].iter().filter_map(|line| {
            tally(
                &parts(line.trim(), ',')?,
                &["pass", "fail"],
                &["fail"],
                &["skip", "todo", "filtered out"],
                &[],
            )
        });
        summary.reduce(Count::plus)
    }))
}

/// `ok | 5 passed | 0 failed | 1 ignored (12ms)`.
pub(super) fn deno(lines: &[&str]) -> Tally {
    Tally::of(lines.iter().filter_map(|line| {
        let line = line.trim();
        let list = line
            .strip_prefix("ok | ")
            .or_else(|| line.strip_prefix("FAILED | "))?;
        let list = list.rsplit_once(" (").map_or(list, |(list, _)| list);
        tally(
            &parts(list, '|')?,
            &["passed", "failed"],
            &["failed"],
            &["ignored", "filtered out"],
            &["measured"],
        )
    }))
}
