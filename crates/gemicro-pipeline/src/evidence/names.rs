//! Reads which tests ran from the output of a test run, to notice when tests are replaced by others.
//!
//! [`test_names`] returns names only if the output names every test that it counts. [`missing_tests`] compares the
//! last part of each name, so a moved test is not missing. [`names_lost`] reports that names are no longer printed.

use std::collections::BTreeMap;

use super::count::{TapOutcome, TestCount, count_tests, plain, tap_result};

/// Returns the names of the tests that ran; empty unless the output names all of them.
pub fn test_names(output: &str) -> Vec<String> {
    let text = plain(output);
    let lines: Vec<&str> = text.lines().collect();
    let all = |read: fn(&str) -> Option<&str>| -> Vec<String> {
        let names = lines.iter().filter_map(|line| read(line));
        names.map(|name| name.trim().to_owned()).collect()
    };
    let mut names: Vec<String> = [cargo, nextest, pytest, go].into_iter().flat_map(all).collect();
    // Any test can print TAP lines, so they count only if no other runner named tests.
    if names.is_empty() {
        names = all(tap);
    }
    let n_names = u64::try_from(names.len()).unwrap_or(u64::MAX);
    match count_tests(output) {
        Some(TestCount { n_run, .. }) if n_run == n_names => names,
        Some(_) | None => Vec::new(),
    }
}

/// Returns the tests of the base that did not run now, in the order of the base.
pub fn missing_tests(base: &[String], now: &[String]) -> Vec<String> {
    let mut there: BTreeMap<&str, usize> = BTreeMap::new();
    for name in now {
        *there.entry(last_part(name)).or_default() += 1;
    }
    let mut missing = Vec::new();
    for name in base {
        match there.get_mut(last_part(name)) {
            Some(n) if *n > 0 => *n -= 1,
            Some(_) | None => missing.push(name.clone()),
        }
    }
    missing
}

/// Reports that a check named its tests on the base but no longer does.
pub fn names_lost(check: &str, base: &[String], now: &[String]) -> Option<String> {
    (!base.is_empty() && now.is_empty()).then(|| {
        format!(
            "the check `{check}` no longer prints its test names (it printed {} on the base): print one line per test \
             again, and no other lines that look like test results",
            base.len()
        )
    })
}

/// Returns the last part of `tests/test_a.py::test_x[1]`, `module::tests::adds`, `src/lib.rs - adds (line 3)` or
/// `tests/hello_test.sh`.
fn last_part(name: &str) -> &str {
    let name = name.split(" (line ").next().unwrap_or(name);
    let (path, parameters) = match name.find('[') {
        Some(at) => name.split_at(at),
        None => (name, ""),
    };
    let begins = path.rfind([':', '/']).map_or(0, |at| at + 1);
    &name[begins..path.len() + parameters.len()]
}

/// `test module::adds ... ok`
fn cargo(line: &str) -> Option<&str> {
    let (name, outcome) = line.strip_prefix("test ")?.rsplit_once(" ... ")?;
    (outcome == "ok" || outcome.starts_with("FAILED")).then_some(name)
}

/// `PASS [   0.005s] (1/2) crate module::adds`
fn nextest(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let rest = ["PASS [", "FAIL ["]
        .iter()
        .find_map(|word| line.strip_prefix(word))?;
    rest.split_once("s] ")?.1.rsplit(' ').next()
}

/// `tests/test_a.py::test_x PASSED [ 50%]`
fn pytest(line: &str) -> Option<&str> {
    let outcomes = [" PASSED", " FAILED", " XFAIL", " XPASS"];
    let at = outcomes.iter().find_map(|outcome| line.find(outcome))?;
    let name = &line[..at];
    (name.contains("::") && !name.starts_with(' ')).then_some(name)
}

/// `--- PASS: TestAdds (0.00s)`
fn go(line: &str) -> Option<&str> {
    let (outcome, rest) = line.strip_prefix("--- ")?.split_once(": ")?;
    let (name, time) = rest.rsplit_once(" (")?;
    (matches!(outcome, "PASS" | "FAIL") && time.ends_with("s)")).then_some(name)
}

/// `ok 1 - adds`
fn tap(line: &str) -> Option<&str> {
    let result = tap_result(line)?;
    let name = result
        .description
        .split_once(" - ")
        .map_or(result.description, |(_, name)| name);
    (!matches!(result.outcome, TapOutcome::Skipped)).then_some(name)
}

#[cfg(test)]
mod tests;
