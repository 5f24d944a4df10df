//! Judges a finished check: [`judge`] turns a [`CheckRun`] into a [`CheckVerdict`].
//!
//! An exit status of 0 is trusted only if it proves something: the command must not be able to lose a failure (see
//! `find_masked_exit`), and a test suite must have run tests without reporting a failure (see `count`). [`shrunk`]
//! reports that fewer tests ran. Nothing here starts a program.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::count::{count_tests, failures};
use super::masked::find_masked_exit;

/// A configured check and how it ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CheckRun {
    /// Name of the check in the workflow.
    pub name: String,
    /// Shell command that was run.
    pub command: String,
    /// Whether it should run tests, so that a run without tests proves nothing.
    pub is_test_suite: bool,
    /// Exit code, or how else it ended.
    pub exit: CheckExit,
    /// Output of both streams, in order.
    pub output: String,
}

/// How a check ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Exit")]
pub enum CheckExit {
    /// It exited with this code.
    Code(i32),
    /// It was killed by this signal.
    Signal(i32),
    /// It was stopped because it took too long.
    TimedOut,
    /// It did not start, for this reason.
    NotStarted(String),
}

/// The verdict on a check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum CheckVerdict {
    /// The check exited with 0 and, if it is a test suite, ran tests.
    Passed {
        /// Number of tests, if the output gives it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        n_tests: Option<u64>,
    },
    /// The check found something, or could not run.
    Failed {
        /// What the check found, or why it could not run.
        why: String,
    },
    /// The check cannot prove anything in its current form.
    Refused {
        /// What is wrong with it, and what to change.
        why: String,
    },
}

/// Judges a finished check.
pub fn judge(check: &CheckRun) -> CheckVerdict {
    let name = &check.name;
    if let Some(masked) = find_masked_exit(&check.command) {
        let why = format!("the check `{name}` proves nothing: {masked}");
        return CheckVerdict::Refused { why };
    }
    let failed = |why: String| CheckVerdict::Failed {
        why: format!("the check `{name}` {why}"),
    };
    let code = match &check.exit {
        CheckExit::Code(code) => *code,
        CheckExit::Signal(signal) => return failed(format!("was killed by signal {signal}")),
        CheckExit::TimedOut => return failed("took too long and was stopped".to_owned()),
        CheckExit::NotStarted(reason) => return failed(format!("could not be started: {reason}")),
    };
    let n_tests = count_tests(&check.output).map(|count| count.n_run);
    let n_failed = failures(&check.output);
    if code != 0 {
        if let Some(why) = missing_program(code, &check.output) {
            return failed(why);
        }
        let has_none = check.is_test_suite && n_tests == Some(0);
        let none = if has_none { "; no tests ran" } else { "" };
        return failed(format!("ended with exit code {code}{none}"));
    }
    if check.is_test_suite && n_tests == Some(0) {
        let why = format!("the check `{name}` ran no tests; make sure the command selects existing tests");
        return CheckVerdict::Refused { why };
    }
    if n_failed > 0 {
        let tests = if n_failed == 1 { "test" } else { "tests" };
        return failed(format!(
            "ended with exit code 0 although its output reports {n_failed} failed {tests}; make it exit with an error \
             when a test fails"
        ));
    }
    CheckVerdict::Passed { n_tests }
}

/// Reports that fewer tests ran than on the base; `None` if the base count is unknown.
pub fn shrunk(base: Option<u64>, now: Option<u64>) -> Option<String> {
    let base = base?;
    let Some(now) = now else {
        return Some(format!(
            "the output no longer shows the number of tests ({base} on the base); restore that output"
        ));
    };
    (now < base).then(|| {
        let were = if now == 1 { "test ran" } else { "tests ran" };
        format!("only {now} {were}, but {base} ran on the base; restore the missing tests")
    })
}

/// Reports that a test runner counts fewer tests than on the base. Other runners do not make up for it, because any
/// script can print their summary. Only a person can approve a change of the test runner.
pub fn other_family(
    check: &str,
    base: &BTreeMap<String, u64>,
    now: &BTreeMap<String, u64>,
) -> Option<String> {
    let n_now = |family: &str| now.get(family).copied().unwrap_or_default();
    let (family, n_base) = base.iter().find(|(family, n_base)| n_now(family) < **n_base)?;
    let others = now.iter().filter(|(other, _)| *other != family);
    let beside: String = others.map(|(other, n)| format!(", {n} by {other}")).collect();
    Some(format!(
        "the check `{check}` had {n_base} tests counted by {family} on the base and has {} now{beside}: keep the same \
         test runner; only a person can approve a change",
        n_now(family)
    ))
}

/// Explains that a program is missing or cannot be started, if so.
fn missing_program(code: i32, output: &str) -> Option<String> {
    const ENDINGS: &[&str] = &[": command not found", ": not found", ": Permission denied"];
    let named = output.lines().rev().map(str::trim).find_map(|line| {
        let before = ENDINGS.iter().find_map(|ending| line.strip_suffix(ending))?;
        // `bash: line 1: pytest`, `sh: 1: pytest`, `make: pytest`: only shells and make report programs like this.
        let (speaker, rest) = before.split_once(": ")?;
        let speaker = speaker.rsplit('/').next().unwrap_or(speaker);
        let is_shell = matches!(
            speaker,
            "sh" | "bash" | "dash" | "zsh" | "ash" | "make" | "gmake" | "env"
        );
        let program = rest.rsplit(": ").next().unwrap_or(rest);
        let program: String = program.chars().take(80).collect();
        is_shell.then(|| format!("could not start `{program}`: it was not found or is not executable"))
    });
    let is_code = matches!(code, 126 | 127);
    named.or_else(|| {
        is_code.then(|| format!("ended with exit code {code}: a program was not found or is not executable"))
    })
}

#[cfg(test)]
mod tests;
