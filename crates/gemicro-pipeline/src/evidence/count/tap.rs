//! The Test Anything Protocol, `prove`, and the test runner of node, which writes it too.

use super::line::{number, of_total};
use super::{Count, Tally};

/// Node's own sums, or those of `prove`.
pub(super) fn tap(lines: &[&str]) -> Tally {
    node(lines).or(|| prove(lines))
}

/// `# tests 5`, `# skipped 1`, `# todo 0`; another reporter writes a sign for `#`.
fn node(lines: &[&str]) -> Tally {
    let sum = |label: &str| -> Option<u64> {
        let numbers = lines.iter().filter_map(|line| {
            let rest = line
                .strip_prefix("# ")
                .or_else(|| line.strip_prefix("\u{2139} "))?;
            let (number, rest) = number(rest.strip_prefix(label)?)?;
            rest.trim().is_empty().then_some(number)
        });
        numbers.reduce(u64::saturating_add)
    };
    match (sum("tests "), sum("pass "), sum("fail ")) {
        (Some(total), Some(_), Some(n_failed)) => {
            let of = |label| sum(label).unwrap_or_default();
            let count = of_total(total, of("skipped ") + of("todo "));
            Tally::Counted(count.failing(n_failed + of("cancelled ")))
        }
        (_, _, _) => Tally::Absent,
    }
}

/// `Files=1, Tests=5,  0 wallclock secs`.
fn prove(lines: &[&str]) -> Tally {
    Tally::of(lines.iter().filter_map(|line| {
        let (_, rest) = line.strip_prefix("Files=")?.split_once(", Tests=")?;
        let (n_run, _) = number(rest)?;
        // `Result: FAIL` comes below it.
        let n_failed = lines
            .iter()
            .filter(|line| line.trim_end() == "Result: FAIL")
            .count();
        Some(of_total(n_run, 0).failing(n_failed as u64))
    }))
}

/// `1..3` and lines with `ok` and `not ok`.
pub(super) fn protocol(lines: &[&str]) -> Tally {
    let is_plan = |line: &&&str| {
        let end = line.strip_prefix("1..").and_then(number);
        end.is_some_and(|(_, rest)| rest.trim().is_empty() || rest.trim_start().starts_with('#'))
    };
    if !lines.iter().any(|line| is_plan(&line)) {
        return Tally::Absent;
    }
    let mut count = Count::default();
    for line in lines {
        let (is_failed, rest) = match (line.strip_prefix("not ok"), line.strip_prefix("ok")) {
            (Some(rest), _) => (true, rest),
            (None, Some(rest)) => (false, rest),
            (None, None) => continue,
        };
        if !rest.is_empty() && !rest.starts_with(' ') {
            continue;
        }
        let directive = rest
            .split_once('#')
            .map(|(_, directive)| directive.trim().to_ascii_lowercase());
        let has = |word: &str| {
            directive
                .as_ref()
                .is_some_and(|directive| directive.starts_with(word))
        };
        if has("skip") {
            count.n_skipped += 1;
        } else {
            count.n_run += 1;
            // A test of what is still to do is meant to fail.
            count.n_failed += u64::from(is_failed && !has("todo"));
        }
    }
    Tally::Counted(count)
}
