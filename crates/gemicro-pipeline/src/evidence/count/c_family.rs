//! GoogleTest, CTest, Catch2, doctest and Meson.

use super::line::{number, of_total, parts, tally};
use super::{Count, Tally};

/// `[==========] 5 tests from 2 test suites ran.` and `[  SKIPPED ] 1 test, listed below:`.
pub(super) fn gtest(lines: &[&str]) -> Tally {
    let mut counts: Vec<Count> = Vec::new();
    for line in lines.iter().map(|line| line.trim()) {
        if let Some(rest) = line.strip_prefix("[==========] ")
            && let Some((total, rest)) = number(rest)
            && rest.contains(" ran.")
        {
            counts.push(of_total(total, 0));
        }
        if let Some(rest) = line.strip_prefix("[  SKIPPED ] ")
            && let Some((n_skipped, rest)) = number(rest)
            && rest.contains("listed below")
            && let Some(last) = counts.last_mut()
        {
            *last = of_total(last.n_run, n_skipped).failing(last.n_failed);
        }
        if let Some(rest) = line.strip_prefix("[  FAILED  ] ")
            && let Some((n_failed, rest)) = number(rest)
            && rest.contains("listed below")
        {
            counts.push(Count::default().failing(n_failed));
        }
    }
    Tally::of(counts)
}

/// `100% tests passed, 0 tests failed out of 5`, `No tests were found!!!`; skipped ones are listed below it.
pub(super) fn ctest(lines: &[&str]) -> Tally {
    Tally::of(lines.iter().enumerate().filter_map(|(idx, line)| {
        if line.trim() == "No tests were found!!!" {
            return Some(Count::default());
        }
        let (_, rest) = line.trim().split_once("% tests passed, ")?;
        let (n_failed, total) = rest.split_once(" failed out of ")?;
        let ((n_failed, _), (total, _)) = (number(n_failed)?, number(total)?);
        let skipped = lines[idx..].iter().filter(|line| {
            let is_listed = number(line).is_some_and(|(_, rest)| rest.starts_with(" - "));
            is_listed && line.trim_end().ends_with("(Skipped)")
        });
        Some(of_total(total, skipped.count() as u64).failing(n_failed))
    }))
}

/// `All tests passed (8 assertions in 5 test cases)`, `test cases: 5 | 4 passed | 1 failed`, `No tests ran`.
pub(super) fn catch(lines: &[&str]) -> Tally {
    Tally::of(lines.iter().filter_map(|line| {
        let line = line.trim();
        if line == "No tests ran" || line.starts_with("No test cases matched") {
            return Some(Count::default());
        }
        if let Some(rest) = line.strip_prefix("All tests passed (") {
            let (_, cases) = rest.split_once(" in ")?;
            let (n_run, rest) = number(cases)?;
            return rest.starts_with(" test case").then_some(of_total(n_run, 0));
        }
        let line = line.strip_prefix("[doctest] ").unwrap_or(line);
        let (_, list) = line.strip_prefix("test cases:")?.split_once('|')?;
        // The skipped ones of doctest are those that a filter left out.
        tally(
            &parts(list, '|')?,
            &["passed", "failed", "failed as expected"],
            &["failed"],
            &["skipped"],
            &[],
        )
    }))
}

/// `Ok:                 5` and its neighbours, `No tests defined.`
pub(super) fn meson(lines: &[&str]) -> Tally {
    const PASSED: &[&str] = &["Ok:", "Expected Fail:"];
    const FAILED: &[&str] = &["Fail:", "Unexpected Pass:", "Timeout:"];
    Tally::of(lines.iter().enumerate().filter_map(|(idx, line)| {
        if line.trim() == "No tests defined." {
            return Some(Count::default());
        }
        let is_summary = |line: &str, label: &str| {
            line.strip_prefix(label)
                .and_then(number)
                .map(|(number, _)| number)
        };
        is_summary(line, "Ok:")?;
        let block = lines[idx..].iter().take(8);
        let of = |label: &str| {
            block
                .clone()
                .find_map(|line| is_summary(line, label))
                .unwrap_or_default()
        };
        // Without its neighbour it is no summary of meson.
        block.clone().find_map(|line| is_summary(line, "Fail:"))?;
        let sum = |labels: &[&str]| -> u64 { labels.iter().map(|label| of(label)).sum() };
        Some(Count {
            n_run: sum(PASSED) + sum(FAILED),
            n_failed: sum(FAILED),
            n_skipped: of("Skipped:"),
        })
    }))
}
