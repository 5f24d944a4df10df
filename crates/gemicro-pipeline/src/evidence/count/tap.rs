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
        (Some(total), Some(_), Some(_)) => {
            let n_skipped = sum("skipped ").unwrap_or_default() + sum("todo ").unwrap_or_default();
            Tally::Counted(of_total(total, n_skipped))
        }
        (_, _, _) => Tally::Absent,
    }
}

/// `Files=1, Tests=5,  0 wallclock secs`.
fn prove(lines: &[&str]) -> Tally {
    Tally::of(lines.iter().filter_map(|line| {
        let (_, rest) = line.strip_prefix("Files=")?.split_once(", Tests=")?;
        let (n_run, _) = number(rest)?;
        Some(Count { n_run, n_skipped: 0 })
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
        let Some(rest) = line.strip_prefix("not ok").or_else(|| line.strip_prefix("ok")) else {
            continue;
        };
        if !rest.is_empty() && !rest.starts_with(' ') {
            continue;
        }
        let directive = rest
            .split_once('#')
            .map(|(_, directive)| directive.trim().to_ascii_lowercase());
        if directive.is_some_and(|directive| directive.starts_with("skip")) {
            count.n_skipped += 1;
        } else {
            count.n_run += 1;
        }
    }
    Tally::Counted(count)
}
