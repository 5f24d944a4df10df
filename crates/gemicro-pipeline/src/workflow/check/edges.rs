//! Checks edges: each outcome has exactly one, and each leads to a known phase.

use super::super::graph::leading_to;
use super::super::model::{EdgeTarget, Phase, PhaseWork, PipelineMode, Workflow};
use super::super::outcomes::{DONE, outcomes};
use super::super::places::ProblemList;

/// Adds problems to the report; returns true if every edge has a valid target.
pub(super) fn check(workflow: &Workflow, report: &mut ProblemList) -> bool {
    let mut lead_somewhere = check_modes(workflow, report);
    for phase in &workflow.phases {
        lead_somewhere &= check_role(workflow, phase, report);
        check_words(workflow, phase, report);
        for (word, target) in &phase.edges {
            if let Some(message) = wrong_target(workflow, phase, target) {
                report.add(edge_key(phase, word), message);
                lead_somewhere = false;
            }
        }
    }
    lead_somewhere
}

fn check_modes(workflow: &Workflow, report: &mut ProblemList) -> bool {
    if workflow.modes.is_empty() {
        report.add("modes", "no mode is defined: write at least `direct: PHASE`");
    }
    let modes = workflow.modes.iter();
    let unknown: Vec<(&PipelineMode, &String)> =
        modes.filter(|(_, name)| workflow.phase(name).is_none()).collect();
    for (mode, name) in &unknown {
        let message = format!("there is no phase `{name}`: {}", phases_there_are(workflow));
        report.add(format!("modes.{mode}"), message);
    }
    unknown.is_empty() && !workflow.modes.is_empty()
}

fn check_role(workflow: &Workflow, phase: &Phase, report: &mut ProblemList) -> bool {
    match &phase.work {
        PhaseWork::Agent { role, .. } if !workflow.roles.contains_key(role) => {
            let known: Vec<&str> = workflow.roles.keys().map(String::as_str).collect();
            let message = format!("there is no role `{role}`: there are {}", known.join(", "));
            report.add(format!("phases.{}.role", phase.name), message);
            false
        }
        PhaseWork::Agent { .. } | PhaseWork::Merge | PhaseWork::Deliver => true,
    }
}

fn check_words(workflow: &Workflow, phase: &Phase, report: &mut ProblemList) {
    let role = match &phase.work {
        PhaseWork::Agent { role, .. } => match workflow.roles.get(role) {
            Some(role) => Some(role),
            // The outcomes of an unknown role are unknown.
            None => return,
        },
        PhaseWork::Merge | PhaseWork::Deliver => None,
    };
    let words = outcomes(&phase.work, role);
    for word in words.iter().filter(|word| !phase.edges.contains_key(**word)) {
        let (key, message) = match *word {
            DONE => (
                "next",
                "it leads nowhere: write `next: PHASE` or `next: end`".to_owned(),
            ),
            word => (
                "on",
                format!("missing {} edge: write `{word}: PHASE`", word.to_lowercase()),
            ),
        };
        report.add(format!("phases.{}.{key}", phase.name), message);
    }
    for word in phase.edges.keys().filter(|word| !words.contains(&word.as_str())) {
        let message = match words {
            [DONE] => "it has only one outcome: use `next: PHASE`".to_owned(),
            words if word == DONE => format!("it has several outcomes: use `on` with {}", words.join(", ")),
            words => format!("unknown outcome: expected {}", words.join(", ")),
        };
        report.add(edge_key(phase, word), message);
    }
}

fn wrong_target(workflow: &Workflow, phase: &Phase, target: &EdgeTarget) -> Option<String> {
    match target {
        EdgeTarget::Phase(name) if workflow.phase(name).is_none() => Some(format!(
            "there is no phase `{name}`: {}",
            phases_there_are(workflow)
        )),
        EdgeTarget::Back if leading_to(workflow, &phase.name).is_empty() => {
            Some("no phase leads here, so `back` has no target: write the name of a phase".to_owned())
        }
        EdgeTarget::Phase(_) | EdgeTarget::Back | EdgeTarget::End => None,
    }
}

fn phases_there_are(workflow: &Workflow) -> String {
    let names: Vec<&str> = workflow.phases.iter().map(|phase| phase.name.as_str()).collect();
    format!("there are {}", names.join(", "))
}

fn edge_key(phase: &Phase, word: &str) -> String {
    match word {
        DONE => format!("phases.{}.next", phase.name),
        word => format!("phases.{}.on.{word}", phase.name),
    }
}
