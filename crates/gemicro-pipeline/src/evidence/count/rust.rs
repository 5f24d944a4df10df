//! `cargo test` and `cargo nextest`.

use super::line::{number, of_total, parts, tally};
use super::{Count, Tally};

/// `test result: ok. 5 passed; 0 failed; 1 ignored; …`; where that is missing, `running 5 tests`.
pub(super) fn cargo(lines: &[&str]) -> Tally {
    let results = lines.iter().filter_map(|line| {
        let (_, list) = line.trim().strip_prefix("test result: ")?.split_once(". ")?;
        let list: Vec<&str> = list
            .split(';')
            .take_while(|part| !part.contains("finished in"))
            .collect();
        let parts = parts(&list.join(";"), ';')?;
        tally(
            &parts,
            &["passed", "failed", "measured"],
            &["failed"],
            &["ignored"],
            &["filtered out"],
        )
    });
    Tally::of(results).or(|| {
        Tally::of(lines.iter().filter_map(|line| {
            let (n_run, rest) = number(line.strip_prefix("running ")?)?;
            matches!(rest.trim(), "test" | "tests").then_some(of_total(n_run, 0))
        }))
    })
}

/// `Summary [ 0.1s] 12 tests run: 12 passed, 3 skipped`, also `3/12 tests run`.
pub(super) fn nextest(lines: &[&str]) -> Tally {
    let results = lines.iter().filter_map(|line| {
        let rest = line.trim().strip_prefix("Summary [")?;
        let (_, rest) = rest.split_once(']')?;
        let (n_run, rest) = number(rest)?;
        if !rest.contains("test run:") && !rest.contains("tests run:") {
            return None;
        }
        let (_, list) = rest.split_once("run:")?;
        let of = |words: &[&str]| -> u64 {
            let parts = list.split(',').filter_map(number);
            let named = parts.filter(|(_, rest)| {
                let word = rest.split_whitespace().next();
                word.is_some_and(|word| words.contains(&word))
            });
            named.map(|(number, _)| number).sum()
        };
        Some(Count {
            n_run,
            n_failed: of(&["failed", "timed"]),
            n_skipped: of(&["skipped"]),
        })
    });
    Tally::of(results).or(|| {
        Tally::of(lines.iter().filter_map(|line| {
            let line = line.trim();
            let started = line.strip_prefix("Starting ").and_then(number);
            let starts_none =
                started.is_some_and(|(number, rest)| number == 0 && rest.starts_with(" tests across "));
            (line == "error: no tests to run" || starts_none).then(Count::default)
        }))
    })
}
