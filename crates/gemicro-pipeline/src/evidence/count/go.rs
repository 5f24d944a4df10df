//! `go test`, plain, with `-v` and with `-json`.

use super::{Count, Tally};

/// Counts the tests that `-v` and `-json` name. Without them a package with tests says no number.
pub(super) fn go(lines: &[&str]) -> Tally {
    let mut count = Count::default();
    let mut is_named = false;
    let mut is_seen = false;
    let mut is_uncounted = false;
    let mut n_failed = 0;
    for line in lines {
        match named(line) {
            Some(Named::Passed) => count.n_run += 1,
            Some(Named::Failed) => {
                count.n_run += 1;
                count.n_failed += 1;
            }
            Some(Named::Skipped) => count.n_skipped += 1,
            None => {}
        }
        is_named |= named(line).is_some();
        match package(line) {
            Some(Package::Empty) => is_seen = true,
            Some(package @ (Package::WithTests | Package::Failed)) => {
                is_seen = true;
                is_uncounted = true;
                n_failed += u64::from(matches!(package, Package::Failed));
            }
            None => {}
        }
    }
    if is_named {
        return Tally::Counted(count.failing(count.n_failed.max(n_failed)));
    }
    match (is_seen, is_uncounted) {
        (false, _) => Tally::Absent,
        (true, true) => Tally::Uncounted(n_failed),
        (true, false) => Tally::Counted(count),
    }
}

enum Named {
    Passed,
    Failed,
    Skipped,
}

/// A test that the line names; subtests are parts of theirs.
fn named(line: &str) -> Option<Named> {
    if line.starts_with('{') && line.contains("\"Package\":") {
        let test = line.split_once("\"Test\":\"")?.1.split('"').next()?;
        let action = line.split_once("\"Action\":\"")?.1.split('"').next()?;
        return match action {
            _ if test.contains('/') => None,
            "pass" => Some(Named::Passed),
            "fail" => Some(Named::Failed),
            "skip" => Some(Named::Skipped),
            _ => None,
        };
    }
    let (outcome, test) = line.strip_prefix("--- ")?.split_once(": ")?;
    // The time in brackets tells it from other texts.
    let is_test = test.ends_with("s)") && test.contains(" (");
    match outcome {
        "PASS" if is_test => Some(Named::Passed),
        "FAIL" if is_test => Some(Named::Failed),
        "SKIP" if is_test => Some(Named::Skipped),
        _ => None,
    }
}

enum Package {
    Empty,
    WithTests,
    Failed,
}

/// The line of a package: `ok`, `FAIL` or `?`, each followed by a tab.
fn package(line: &str) -> Option<Package> {
    if line.ends_with("[no test files]") || line.ends_with("[no tests to run]") {
        return Some(Package::Empty);
    }
    if line.starts_with("FAIL\t") {
        return Some(Package::Failed);
    }
    let is_package = line.starts_with("ok  \t") || line.starts_with("?   \t");
    is_package.then_some(Package::WithTests)
}
