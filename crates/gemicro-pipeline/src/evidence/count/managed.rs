//! Maven, JUnit, Gradle and dotnet.

use super::line::{after, number, of_total, unmarked};
use super::{Count, Tally};

/// `Tests run: 5, Failures: 0, Errors: 0, Skipped: 1`: the sums of modules, or, without them, the lines of classes.
pub(super) fn surefire(lines: &[&str]) -> Tally {
    let of = |is_class: bool| {
        Tally::of(lines.iter().filter_map(move |line| {
            let line = unmarked(line);
            let rest = line.strip_prefix("Tests run:")?;
            let (total, rest) = number(rest)?;
            let is_line_of_class = rest.contains("Time elapsed");
            let of = |label| after(rest, label).unwrap_or_default();
            (is_line_of_class == is_class && rest.contains("Failures:"))
                .then(|| of_total(total, of("Skipped:")).failing(of("Failures:") + of("Errors:")))
        }))
    };
    of(false).or(|| of(true)).or(|| {
        let is_empty = |line: &&&str| unmarked(line) == "No tests to run.";
        Tally::of(lines.iter().filter(is_empty).map(|_| Count::default()))
    })
}

/// `OK (5 tests)` of JUnit 4; `[ 5 tests started ]` of JUnit 5.
pub(super) fn junit(lines: &[&str]) -> Tally {
    Tally::of(lines.iter().filter_map(|line| {
        let line = line.trim();
        if let Some(rest) = line.strip_prefix("OK (") {
            let (n_run, rest) = number(rest)?;
            return matches!(rest, " test)" | " tests)").then_some(of_total(n_run, 0));
        }
        let inner = line.strip_prefix('[')?.strip_suffix(']')?;
        let (n_run, rest) = number(inner)?;
        match rest.trim() {
            "tests started" => Some(of_total(n_run, 0)),
            "tests failed" | "containers failed" => Some(Count::default().failing(n_run)),
            _ => None,
        }
    }))
}

/// `> Task :test NO-SOURCE`; a task that ran says no number unless something failed.
pub(super) fn gradle(lines: &[&str]) -> Tally {
    let completed = lines.iter().filter_map(|line| {
        let (total, rest) = number(line)?;
        let list = rest
            .strip_prefix(" tests completed")
            .or_else(|| rest.strip_prefix(" test completed"))?;
        Some(of_total(total, part(list, "skipped")).failing(part(list, "failed")))
    });
    let tasks = || {
        let of_tests = lines.iter().filter_map(|line| {
            let (task, outcome) = match line.strip_prefix("> Task ")?.split_once(' ') {
                Some((task, outcome)) => (task, outcome),
                None => (line.strip_prefix("> Task ")?, ""),
            };
            (task == ":test" || task.ends_with(":test")).then_some(outcome)
        });
        let outcomes: Vec<&str> = of_tests.collect();
        if outcomes.is_empty() {
            return Tally::Absent;
        }
        if outcomes.iter().all(|outcome| *outcome == "NO-SOURCE") {
            return Tally::Counted(Count::default());
        }
        let failed = outcomes.iter().filter(|outcome| **outcome == "FAILED");
        Tally::Uncounted(failed.count() as u64)
    };
    Tally::of(completed).or(tasks)
}

/// The number of a word in `, 1 failed, 2 skipped`.
fn part(list: &str, name: &str) -> u64 {
    let mut parts = list.split(',').filter_map(number);
    parts
        .find(|(_, word)| word.trim() == name)
        .map_or(0, |(number, _)| number)
}

/// `Passed!  - Failed: 0, Passed: 5, Skipped: 1, Total: 6, …`, `Test summary: total: 5, …`, `No test is available`.
pub(super) fn dotnet(lines: &[&str]) -> Tally {
    let summaries = lines.iter().filter_map(|line| {
        let (_, rest) = line.trim().split_once("Test summary: ")?;
        let rest = rest.trim();
        let of = |label| after(rest, label).unwrap_or_default();
        Some(of_total(after(rest, "total:")?, of("skipped:")).failing(of("failed:")))
    });
    let of_projects = lines.iter().filter_map(|line| {
        let line = line.trim();
        if line.starts_with("No test is available in ")
            || line.starts_with("No test matches the given testcase filter")
        {
            return Some(Count::default());
        }
        let rest = ["Passed!", "Failed!", "Skipped!"]
            .iter()
            .find_map(|word| line.strip_prefix(word))?;
        let of = |label| after(rest, label).unwrap_or_default();
        Some(of_total(after(rest, "Total:")?, of("Skipped:")).failing(of("Failed:")))
    });
    let of_adapter = || {
        lines.iter().enumerate().filter_map(|(idx, line)| {
            let (total, _) = number(line.trim().strip_prefix("Total tests:")?)?;
            let block = lines[idx..].iter().take(4).map(|line| line.trim());
            let of = |label| {
                let mut numbers = block.clone().filter_map(|line| number(line.strip_prefix(label)?));
                numbers.next().map_or(0, |(number, _)| number)
            };
            Some(of_total(total, of("Skipped:")).failing(of("Failed:")))
        })
    };
    Tally::of(summaries)
        .or(|| Tally::of(of_projects))
        .or(|| Tally::of(of_adapter()))
}
