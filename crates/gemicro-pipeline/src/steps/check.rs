//! The step that runs the checks, and its evidence.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::checkout_spec::CheckoutSpec;
use super::record::DocumentRecord;
use crate::evidence::{CheckVerdict, missing_tests, names_lost, other_family, shrunk};
use crate::workflow::Check;

/// Kind of the step that runs checks.
pub const CHECK_STEP: &str = "pipeline_check";

/// Input of the step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckInput {
    /// The branch and commit that the step works on.
    pub place: CheckoutSpec,
    /// The checks, run in this order.
    pub checks: Vec<Check>,
    /// Documents written into the checkout first: the checks run on the tip plus these.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub records: Vec<DocumentRecord>,
}

/// The results of all checks on one tree.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// The tree, without the documents of tasks.
    pub tree: String,
    /// The result of each check, in order.
    pub checks: Vec<CheckRecord>,
}

/// The result of one check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Checked")]
pub struct CheckRecord {
    /// Name of the check in the workflow.
    pub name: String,
    /// The command line.
    pub command: String,
    /// Whether it passed, and why not.
    pub verdict: CheckVerdict,
    /// Whether it should run tests.
    #[serde(default)]
    pub is_test_suite: bool,
    /// Names of the tests that ran, if it passed and named all of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tests: Vec<String>,
    /// Number of tests per test runner, if it passed.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub by_family: BTreeMap<String, u64>,
    /// Duration.
    pub took_ms: u64,
    /// The end of its output.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub output: String,
}

impl Evidence {
    /// The failures, as messages to an agent.
    #[must_use]
    pub fn faults(&self) -> Vec<String> {
        let failed = self.checks.iter().filter_map(|check| {
            let (why, command) = (check.fault()?, &check.command);
            Some(match check.output.trim() {
                "" => format!("{why} ({command})"),
                output => format!("{why} ({command}); the end of its output:\n{output}"),
            })
        });
        failed.collect()
    }

    /// Returns the missing tests and the number of tests on the base, of all suites that name their tests in both.
    #[must_use]
    pub fn gone_since(&self, base: &Self) -> (Vec<String>, usize) {
        let (mut missing, mut n_base) = (Vec::new(), 0);
        for before in &base.checks {
            let mut now = self.checks.iter().filter(|now| !now.tests.is_empty());
            if let Some(now) = now.find(|now| now.name == before.name) {
                missing.extend(missing_tests(&before.tests, &now.tests));
                n_base += before.tests.len();
            }
        }
        (missing, n_base)
    }

    /// Reports a suite that named its tests on the base but no longer does, so that it is unknown which of them ran.
    #[must_use]
    pub fn unnamed_since(&self, base: &Self) -> Option<String> {
        let mut silent = self.checks.iter().filter(|now| now.fault().is_none());
        let named = |now: &CheckRecord| base.checks.iter().find(|before| before.name == now.name);
        silent.find_map(|now| names_lost(&now.name, &named(now)?.tests, &now.tests))
    }

    /// Reports that fewer tests ran than on the base, in total or for one test runner.
    #[must_use]
    pub fn shrunk_since(&self, base: &Self) -> Option<String> {
        let before = |now: &CheckRecord| base.checks.iter().find(|before| before.name == now.name);
        shrunk(base.n_tests(), self.n_tests()).or_else(|| {
            let mut passed = self.checks.iter().filter(|now| now.fault().is_none());
            passed.find_map(|now| other_family(&now.name, &before(now)?.by_family, &now.by_family))
        })
    }

    /// Total number of tests in all passed checks that report it.
    #[must_use]
    pub fn n_tests(&self) -> Option<u64> {
        let counts = self.checks.iter().filter_map(CheckRecord::n_tests);
        counts.reduce(|a, b| a.saturating_add(b))
    }
}

impl CheckRecord {
    /// Why it failed.
    #[must_use]
    pub fn fault(&self) -> Option<&str> {
        match &self.verdict {
            CheckVerdict::Passed { .. } => None,
            CheckVerdict::Failed { why } | CheckVerdict::Refused { why } => Some(why),
        }
    }

    /// Number of tests, if the output says it.
    #[must_use]
    pub fn n_tests(&self) -> Option<u64> {
        match &self.verdict {
            CheckVerdict::Passed { n_tests } => *n_tests,
            CheckVerdict::Failed { .. } | CheckVerdict::Refused { .. } => None,
        }
    }

    /// Whether it passed without a test count, although it should run tests.
    #[must_use]
    pub fn is_uncounted(&self) -> bool {
        let is_silent = matches!(&self.verdict, CheckVerdict::Passed { n_tests: None });
        self.is_test_suite && is_silent
    }

    /// The verdict in one word.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match &self.verdict {
            CheckVerdict::Passed { .. } => "passed",
            CheckVerdict::Failed { .. } => "failed",
            CheckVerdict::Refused { .. } => "refused",
        }
    }
}
