//! The step that runs the checks, and what it proves.

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
    /// What is written into the checkout before: the checks are about the tip with these.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub records: Vec<DocumentRecord>,
}

/// What gemicro itself saw of one tree.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// The tree, without the documents of tasks.
    pub tree: String,
    /// The result of every check that ran, in their order.
    pub checks: Vec<CheckRecord>,
}

/// One check that was run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Checked")]
pub struct CheckRecord {
    /// Name of the check in the workflow.
    pub name: String,
    /// The command line that is run.
    pub command: String,
    /// Whether it counts as passed, and why.
    pub verdict: CheckVerdict,
    /// It is to run tests.
    #[serde(default)]
    pub is_test_suite: bool,
    /// The names of the tests that ran, where it passed and named all of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tests: Vec<String>,
    /// How many tests ran by the word of each family of test programs, where it passed.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub by_family: BTreeMap<String, u64>,
    /// How long it took.
    pub took_ms: u64,
    /// The end of what it printed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub output: String,
}

impl Evidence {
    /// What speaks against the tree, in words for an agent.
    #[must_use]
    pub fn faults(&self) -> Vec<String> {
        let failed = self.checks.iter().filter_map(|check| {
            let (why, command) = (check.fault()?, &check.command);
            Some(match check.output.trim() {
                "" => format!("{why} ({command})"),
                output => format!("{why} ({command}); it printed last:\n{output}"),
            })
        });
        failed.collect()
    }

    /// The tests that ran on the base and not here, and how many there were: of every suite that names them in both.
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

    /// Says that a suite named its tests on the base and does not any more: it is then unknown which of them ran.
    #[must_use]
    pub fn unnamed_since(&self, base: &Self) -> Option<String> {
        let mut silent = self.checks.iter().filter(|now| now.fault().is_none());
        let named = |now: &CheckRecord| base.checks.iter().find(|before| before.name == now.name);
        silent.find_map(|now| names_lost(&now.name, &named(now)?.tests, &now.tests))
    }

    /// Says that fewer tests ran than on the base, in all or by the word of a family that counted there.
    #[must_use]
    pub fn shrunk_since(&self, base: &Self) -> Option<String> {
        let before = |now: &CheckRecord| base.checks.iter().find(|before| before.name == now.name);
        shrunk(base.n_tests(), self.n_tests()).or_else(|| {
            let mut passed = self.checks.iter().filter(|now| now.fault().is_none());
            passed.find_map(|now| other_family(&now.name, &before(now)?.by_family, &now.by_family))
        })
    }

    /// How many tests ran in all, where every suite reported it.
    #[must_use]
    pub fn n_tests(&self) -> Option<u64> {
        let counts = self.checks.iter().filter_map(CheckRecord::n_tests);
        counts.reduce(|a, b| a.saturating_add(b))
    }
}

impl CheckRecord {
    /// What speaks against it.
    #[must_use]
    pub fn fault(&self) -> Option<&str> {
        match &self.verdict {
            CheckVerdict::Passed { .. } => None,
            CheckVerdict::Failed { why } | CheckVerdict::Refused { why } => Some(why),
        }
    }

    /// How many tests ran, where the output said it.
    #[must_use]
    pub fn n_tests(&self) -> Option<u64> {
        match &self.verdict {
            CheckVerdict::Passed { n_tests } => *n_tests,
            CheckVerdict::Failed { .. } | CheckVerdict::Refused { .. } => None,
        }
    }

    /// Whether it passed and did not say how many tests ran, although it is to run some.
    #[must_use]
    pub fn is_uncounted(&self) -> bool {
        let is_silent = matches!(&self.verdict, CheckVerdict::Passed { n_tests: None });
        self.is_test_suite && is_silent
    }

    /// What it says, in one word.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match &self.verdict {
            CheckVerdict::Passed { .. } => "passed",
            CheckVerdict::Failed { .. } => "failed",
            CheckVerdict::Refused { .. } => "refused",
        }
    }
}
