//! Counts the tests of `go test`: plain, `-v` and `-json`.

use super::{FamilyTally, TestCount};

/// Counts the tests named by `-v` and `-json`. Plain output does not give a number.
pub(super) fn go(lines: &[&str]) -> FamilyTally {
    let mut count = TestCount::default();
    let mut is_named = false;
    let mut is_seen = false;
    let mut is_uncounted = false;
    let mut n_failed = 0;
    for line in lines {
        match named_test(line) {
            Some(GoName::Passed) => count.n_run += 1,
            Some(GoName::Failed) => {
                count.n_run += 1;
                count.n_failed += 1;
            }
            Some(GoName::Skipped) => count.n_skipped += 1,
            None => {}
        }
        is_named |= named_test(line).is_some();
        match package(line) {
            Some(GoPackage::Empty) => is_seen = true,
            Some(package @ (GoPackage::WithTests | GoPackage::Failed)) => {
                is_seen = true;
                is_uncounted = true;
                n_failed += u64::from(matches!(package, GoPackage::Failed));
            }
            None => {}
        }
    }
    if is_named {
        return FamilyTally::Counted(count.with_failures(count.n_failed.max(n_failed)));
    }
    match (is_seen, is_uncounted) {
        (false, _) => FamilyTally::Absent,
        (true, true) => FamilyTally::Uncounted(n_failed),
        (true, false) => FamilyTally::Counted(count),
    }
}

enum GoName {
    Passed,
    Failed,
    Skipped,
}

/// Returns the test named on a line. Subtests belong to their parent and are skipped.
fn named_test(line: &str) -> Option<GoName> {
    if line.starts_with('{') && line.contains("\"Package\":") {
        let test = line.split_once("\"Test\":\"")?.1.split('"').next()?;
        let action = line.split_once("\"Action\":\"")?.1.split('"').next()?;
        return match action {
            _ if test.contains('/') => None,
            "pass" => Some(GoName::Passed),
            "fail" => Some(GoName::Failed),
            "skip" => Some(GoName::Skipped),
            _ => None,
        };
    }
    let (outcome, test) = line.strip_prefix("--- ")?.split_once(": ")?;
    // Only test results end with a time in brackets.
    let is_test = test.ends_with("s)") && test.contains(" (");
    match outcome {
        "PASS" if is_test => Some(GoName::Passed),
        "FAIL" if is_test => Some(GoName::Failed),
        "SKIP" if is_test => Some(GoName::Skipped),
        _ => None,
    }
}

enum GoPackage {
    Empty,
    WithTests,
    Failed,
}

/// Reads a package line: `ok`, `FAIL` or `?`, each followed by a tab.
fn package(line: &str) -> Option<GoPackage> {
    if line.ends_with("[no test files]") || line.ends_with("[no tests to run]") {
        return Some(GoPackage::Empty);
    }
    if line.starts_with("FAIL\t") {
        return Some(GoPackage::Failed);
    }
    let is_package = line.starts_with("ok  \t") || line.starts_with("?   \t");
    is_package.then_some(GoPackage::WithTests)
}
