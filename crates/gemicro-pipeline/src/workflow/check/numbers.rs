//! Rejects numbers that would make a run pointless or endless.

use super::super::model::Workflow;
use super::super::places::ProblemList;

/// Maximum number of phases, roles and checks.
const MOST_PARTS: usize = 64;
/// Maximum number of times an answer may be asked for again.
const MOST_ASKS: u32 = 10;
/// Maximum tokens of the project's memory in a prompt.
const MOST_MEMORY_TOKENS: u32 = 20_000;

pub(super) fn check(workflow: &Workflow, report: &mut ProblemList) {
    for (key, count) in [
        ("phases", workflow.phases.len()),
        ("roles", workflow.roles.len()),
        ("checks", workflow.checks.len()),
        ("setup", workflow.setup.len()),
    ] {
        if count > MOST_PARTS {
            report.add(
                key,
                format!("there are {count}, at most {MOST_PARTS} are allowed"),
            );
        }
    }
    if workflow.max_asks > MOST_ASKS {
        report.add("max_asks", format!("write a number from 0 to {MOST_ASKS}"));
    }
    if workflow.memory_tokens > MOST_MEMORY_TOKENS {
        let message = format!("write a number from 0 to {MOST_MEMORY_TOKENS}");
        report.add("memory_tokens", message);
    }
    for phase in workflow.phases.iter().filter(|phase| phase.rounds == 0) {
        let key = format!("phases.{}.rounds", phase.name);
        report.add(key, "with 0 rounds the phase is never entered: write 1 or more");
    }
    for (name, role) in &workflow.roles {
        if role.idle_ms > role.total_ms {
            let message = "it is longer than `total`, so it would never end a step: write less";
            report.add(format!("roles.{name}.timeouts.idle"), message);
        }
        for (limit, value) in [("max_tokens", role.grant.tokens), ("max_turns", role.grant.turns)] {
            if value == Some(0) {
                let message = "with 0 nothing can be done: write 1 or more, or leave it out";
                report.add(format!("roles.{name}.budget.{limit}"), message);
            }
        }
    }
}
