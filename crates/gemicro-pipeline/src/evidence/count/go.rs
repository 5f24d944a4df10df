//! `go test`, plain, with `-v` and with `-json`.

use super::{Count, Tally};

/// Counts the tests that `-v` and `-json` name. Without them a package with tests says no number.
pub(super) fn go(lines: &[&str]) -> Tally {
    let mut count = Count::default();
    let mut is_named = false;
    let mut is_seen = false;
    let mut is_uncounted = false;
    for line in lines {
        match named(line) {
            Some(Named::Run) => count.n_run += 1,
            Some(Named::Skipped) => count.n_skipped += 1,
            None => {}
        }
        is_named |= named(line).is_some();
        match package(line) {
            Some(Package::Empty) => is_seen = true,
            Some(Package::WithTests) => {
                is_seen = true;
                is_uncounted = true;
            }
            None => {}
        }
    }
    if is_named {
        return Tally::Counted(count);
    }
    match (is_seen, is_uncounted) {
        (false, _) => Tally::Absent,
        (true, true) => Tally::Uncounted,
        (true, false) => Tally::Counted(count),
    }
}

enum Named {
    Run,
    Skipped,
}

/// A test that the line names; subtests are parts of theirs.
fn named(line: &str) -> Option<Named> {
    if line.starts_with('{') && line.contains("\"Package\":") {
        let test = line.split_once("\"Test\":\"")?.1.split('"').next()?;
        let action = line.split_once("\"Action\":\"")?.1.split('"').next()?;
        return match action {
            _ if test.contains('/') => None,
            "pass" | "fail" => Some(Named::Run),
            "skip" => Some(Named::Skipped),
            _ => None,
        };
    }
    let (outcome, test) = line.strip_prefix("--- ")?.split_once(": ")?;
    // The time in brackets tells it from other texts.
    let is_test = test.ends_with("s)") && test.contains(" (");
    match outcome {
        "PASS" | "FAIL" if is_test => Some(Named::Run),
        "SKIP" if is_test => Some(Named::Skipped),
        _ => None,
    }
}

enum Package {
    Empty,
    WithTests,
}

/// The line of a package: `ok`, `FAIL` or `?`, each followed by a tab.
fn package(line: &str) -> Option<Package> {
    let rest = line
        .strip_prefix("ok  \t")
        .or_else(|| line.strip_prefix("?   \t"))
        .or_else(|| line.strip_prefix("FAIL\t"));
    if line.ends_with("[no test files]") || line.ends_with("[no tests to run]") {
        return Some(Package::Empty);
    }
    rest.map(|_| Package::WithTests)
}
