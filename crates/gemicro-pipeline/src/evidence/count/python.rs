//! pytest and unittest.

use super::line::{number, of_total, parts, tally};
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
            &["failed", "error", "errors"],
            &["skipped", "deselected"],
            &["warning", "warnings", "rerun", "subtests passed"],
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
        let ends = |with: &str| {
            let mut below = lines[idx + 1..].iter().take(4);
            below.find(|line| line.starts_with(with))
        };
        let end = ends("FAILED").or_else(|| ends("OK")).or_else(|| ends("NO TESTS"));
        let list = end
            .and_then(|end| end.split_once('('))
            .map_or("", |(_, list)| list);
        let of = |name: &str| -> u64 {
            let mut parts = list.trim_end().trim_end_matches(')').split(", ");
            let number = parts.find_map(|part| part.strip_prefix(name)?.strip_prefix('=')?.parse().ok());
            number.unwrap_or_default()
        };
        let n_failed = of("failures") + of("errors") + of("unexpected successes");
        let is_failed = end.is_some_and(|end| end.starts_with("FAILED"));
        Some(of_total(total, of("skipped")).failing(n_failed.max(is_failed.into())))
    });
    Tally::of(results)
}
