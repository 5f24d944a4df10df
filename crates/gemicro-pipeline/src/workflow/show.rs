//! Shows a workflow as text.
//!
//! The main function is [`show_text`]. It prints the file's content; the checks already exclude control characters.

use std::fmt::Write as _;

use super::model::{EdgeTarget, NetworkRule, Phase, PhaseWork, Reads, Role, Workflow, Writes};
use super::outcomes::DONE;
use super::values::duration_text;

/// Returns everything about a workflow except its prompts.
#[must_use]
pub fn show_text(workflow: &Workflow) -> String {
    let mut text = format!("Workflow {}\n\nModes\n", workflow.name);
    for (mode, phase) in &workflow.modes {
        line(&mut text, mode.as_str(), &format!("begins with {phase}"));
    }
    text.push_str("\nPhases\n");
    for phase in &workflow.phases {
        show_phase(&mut text, workflow, phase);
    }
    text.push_str("\nRoles\n");
    for (name, role) in &workflow.roles {
        show_role(&mut text, name, role);
    }
    text.push_str("\nEvidence\n");
    if workflow.checks.is_empty() {
        line(&mut text, "checks", "none");
    }
    for check in &workflow.checks {
        let tests = if check.tests { ", runs tests" } else { "" };
        let time = duration_text(check.timeout_ms);
        line(
            &mut text,
            &check.name,
            &format!("{} ({time}{tests})", check.command),
        );
    }
    text.push_str("\nCheckout\n");
    for (name, list) in [
        ("setup", &workflow.setup),
        ("carry", &workflow.carry),
        ("caches", &workflow.caches),
    ] {
        let list = if list.is_empty() {
            "none".to_owned()
        } else {
            list.join(", ")
        };
        line(&mut text, name, &list);
    }
    let network = match workflow.network {
        NetworkRule::None => "none",
        NetworkRule::Full => "full",
    };
    line(&mut text, "network", network);
    line(
        &mut text,
        "asks again",
        &format!("{} times at most", workflow.max_asks),
    );
    text
}

/// Returns the name of a level of write access in workflow files.
pub(super) fn writes_text(writes: Writes) -> &'static str {
    match writes {
        Writes::ReadOnly => "read-only",
        Writes::Reviews => "reviews",
        Writes::Documents => "documents",
        Writes::WorkspaceWrite => "workspace-write",
    }
}

/// Returns the display name of the worker in a phase.
pub(super) fn worker(workflow: &Workflow, work: &PhaseWork) -> String {
    match work {
        PhaseWork::Agent { role, .. } => {
            let found = workflow.roles.get(role);
            found.map_or_else(|| role.clone(), |role| role.title.clone())
        }
        PhaseWork::Merge => "gemicro merges main".to_owned(),
        PhaseWork::Deliver => "gemicro delivers".to_owned(),
    }
}

fn show_phase(text: &mut String, workflow: &Workflow, phase: &Phase) {
    let worker = worker(workflow, &phase.work);
    let rounds = match phase.rounds {
        1 => "once".to_owned(),
        rounds => format!("up to {rounds} times"),
    };
    let _ = writeln!(text, "  {:<4} {}: {worker}, {rounds}", phase.label, phase.name);
    if let Some(question) = &phase.human {
        detail(text, "asks first", question);
    }
    match &phase.work {
        PhaseWork::Agent { reads, document, .. } => {
            let reads: Vec<String> = reads.iter().map(reads_text).collect();
            if !reads.is_empty() {
                detail(text, "reads", &reads.join(", "));
            }
            if let Some(document) = document {
                detail(text, "document", document);
            }
        }
        PhaseWork::Merge | PhaseWork::Deliver => {}
    }
    for (idx, (word, target)) in phase.edges.iter().enumerate() {
        let name = if idx == 0 { "then" } else { "" };
        let words = match word.as_str() {
            DONE => target_text(target).to_owned(),
            word => format!("after {word}: {}", target_text(target)),
        };
        detail(text, name, &words);
    }
}

fn show_role(text: &mut String, name: &str, role: &Role) {
    let agent = role.agent.map_or("the agent you choose", |agent| agent.as_str());
    let _ = writeln!(text, "  {name}: {}, {agent}", role.title);
    detail(text, "writes", writes_text(role.sandbox));
    let tools: Vec<String> = role.tools.iter().map(ToString::to_string).collect();
    if !tools.is_empty() {
        detail(text, "tools", &tools.join(", "));
    }
    detail(text, "prompt", &role.prompt);
    let mut limits = vec![
        duration_text(role.total_ms),
        format!("{} of silence", duration_text(role.idle_ms)),
    ];
    limits.extend(role.grant.tokens.map(|tokens| format!("{tokens} tokens")));
    limits.extend(role.grant.micro_usd.map(dollars));
    limits.extend(role.grant.turns.map(|turns| format!("{turns} turns")));
    detail(text, "limits", &limits.join(", "));
}

fn dollars(micro_usd: u64) -> String {
    let text = format!("{}.{:06}", micro_usd / 1_000_000, micro_usd % 1_000_000);
    let cents = text.len() - 4;
    let kept = text.trim_end_matches('0').len().max(cents);
    format!("${}", &text[..kept])
}

fn reads_text(reads: &Reads) -> String {
    let mark = if reads.optional { "?" } else { "" };
    format!("{}{mark}", reads.artifact)
}

fn target_text(target: &EdgeTarget) -> &str {
    match target {
        EdgeTarget::Phase(name) => name,
        EdgeTarget::Back => "the phase that led here",
        EdgeTarget::End => "the end",
    }
}

fn line(text: &mut String, name: &str, value: &str) {
    let _ = writeln!(text, "  {name:<10} {value}");
}

fn detail(text: &mut String, name: &str, value: &str) {
    let _ = writeln!(text, "         {name:<10} {value}");
}
