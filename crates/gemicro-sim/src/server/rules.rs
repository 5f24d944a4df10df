//! Chooses the rule for a request, and counts their uses.

use std::sync::{Mutex, PoisonError};

use crate::call::ModelCall;
use crate::scenario::{RuleAction, Scenario, ScenarioRule};

/// The counters of all rules of a scenario.
#[derive(Debug)]
pub(crate) struct RuleCounters {
    counts: Mutex<Vec<RuleCount>>,
}

#[derive(Debug, Clone, Copy, Default)]
struct RuleCount {
    /// Requests that reached the rule and met its condition.
    n_met: u64,
    /// Requests to which the rule was applied.
    n_taken: u64,
}

/// The rules that may apply to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RuleChoice {
    All,
    /// Only recorded responses: they also answer requests that the service would reject today.
    Recorded,
}

impl RuleCounters {
    pub(crate) fn new(n_rules: usize) -> Self {
        Self {
            counts: Mutex::new(vec![RuleCount::default(); n_rules]),
        }
    }

    /// Returns the first rule that applies to the call, and its name.
    pub(crate) fn choose<'s>(
        &self,
        scenario: &'s Scenario,
        call: &ModelCall,
        among: RuleChoice,
    ) -> Option<(String, &'s ScenarioRule)> {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        for (rule_idx, rule) in scenario.rules.iter().enumerate() {
            let eligible = among == RuleChoice::All || matches!(rule.action, RuleAction::Raw(_));
            if !eligible || !rule.when.holds(call) {
                continue;
            }
            let count = &mut counts[rule_idx];
            count.n_met += 1;
            if rule.takes(count.n_met, count.n_taken) {
                count.n_taken += 1;
                return Some((name(rule_idx, rule), rule));
            }
        }
        None
    }

    /// Name of each rule, and how many requests it was applied to.
    pub(crate) fn counts(&self, scenario: &Scenario) -> Vec<(String, u64)> {
        let counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let names = scenario
            .rules
            .iter()
            .enumerate()
            .map(|(idx, rule)| name(idx, rule));
        names.zip(counts.iter().map(|count| count.n_taken)).collect()
    }

    pub(crate) fn reset(&self) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        counts.fill(RuleCount::default());
    }
}

fn name(rule_idx: usize, rule: &ScenarioRule) -> String {
    rule.name
        .clone()
        .unwrap_or_else(|| format!("rule {}", rule_idx + 1))
}
