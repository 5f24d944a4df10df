//! pytest and unittest.

use super::line::{after, number, of_total, parts, tally};
use super::{Count, Tally};

/// `=== 3 passed, 1 skipped in 0.12s ===`, `no tests ran in 0.01s`; where that is missing, `collected 0 items`.
pub(super) fn pytest(lines: &[&str]) -> Tally {
    let results = lines.iter().filter_map(|line| {
        let line = line.trim_matches(|c: char| c == '=' || c.is_whitespace());
        let (list, time) = line.rsplit_once(" in ")?;
        let (_, rest) = number(time)?;
        if !(rest.starts_with('.') && rest.contains('s')) {
            return None;
        }
        if list == "no tests ran" {
            return Some(Count::default());
        }
        tally(
            &parts(list, ',')?,
            &["passed", "failed", "xfailed", "xpassed"],
            &["skipped", "deselected"],
            &[
                "error",
                "errors",
                "warning",
                "warnings",
                "rerun",
                "subtests passed",
            ],
        )
    });
    Tally::of(results).or(|| {
        let is_empty = |line: &&&str| line.trim().starts_with("collected 0 items");
        Tally::of(lines.iter().filter(is_empty).map(|_| Count::default()))
    })
}

/// `Ran 5 tests in 0.001s` and then `OK (skipped=2)`.
pub(super) fn unittest(lines: &[&str]) -> Tally {
    let results = lines.iter().enumerate().filter_map(|(idx, line)| {
        let (total, rest) = number(line.strip_prefix("Ran ")?)?;
        if !rest.starts_with(" test in ") && !rest.starts_with(" tests in ") {
            return None;
        }
        let is_end = |line: &&&str| {
            line.starts_with("OK") || line.starts_with("FAILED") || line.starts_with("NO TESTS")
        };
        let end = lines[idx + 1..].iter().take(4).find(is_end);
        let n_skipped = end.and_then(|end| after(end, "skipped=")).unwrap_or_default();
        Some(of_total(total, n_skipped))
    });
    Tally::of(results)
}
