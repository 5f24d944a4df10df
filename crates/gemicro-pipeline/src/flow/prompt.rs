//! Writes the prompt for the agent of a phase, and the files it is given to read.

use gemicro_memory::MemoryEntry;

use super::current_phase::CurrentPhase;
use super::decide::plan_document;
use super::owner::owner_notes;
use super::project_memory::{may_propose_skill, memory, skills};
use super::state::PipelineState;
use super::todo::document;
use crate::evidence::SECTIONS;
use crate::payload::{Nonce, PayloadShape, tag_line};
use crate::plan::LastMerge;
use crate::steps::{Handover, HandoverContent};
use crate::workflow::{
    HandedOver, Phase, PhaseWork, PromptContext, PromptError, Reads, Role, mark_untrusted, render,
};

/// The file with all changes of the branch.
const DIFF: &str = "changes.diff";
/// The file that lists the conflicts of a merge.
const CONFLICTS: &str = "conflicts.txt";
/// The file that lists missing tests.
const GONE: &str = "tests_gone.txt";
/// Maximum size of feedback passed on to an agent, in bytes.
const MOST_FEEDBACK: usize = 32 * 1024;

/// Returns the prompt of the next step.
pub(super) fn prompt(
    state: &PipelineState,
    current: &CurrentPhase,
    (phase, role): (&Phase, &Role),
    nonce: &Nonce,
) -> Result<String, PromptError> {
    let plan = &state.plan;
    let prepared = state.prepared.as_ref();
    let fenced = |text: &String| {
        let cut = text.floor_char_boundary(MOST_FEEDBACK);
        mark_untrusted(&text[..cut], nonce.as_str())
    };
    let context = PromptContext {
        request: plan.task.clone(),
        mode: plan.mode,
        feature: plan.feature.to_string(),
        branch: prepared.map_or_else(|| plan.branch.clone(), |it| it.branch.clone()),
        label: phase.label.clone(),
        round: current.round,
        reads: reads(state, phase),
        document: document(state, current, phase),
        feedback: current.feedback.as_ref().map(fenced),
        remarks: current.remarks.as_ref().map(fenced),
        checks: plan
            .workflow
            .checks
            .iter()
            .map(|check| check.command.clone())
            .collect(),
        plan_sections: SECTIONS.iter().map(|section| section.title.to_owned()).collect(),
        tag_line: tag_line(nonce),
        asked_again: current.asked_again().map(|asked| asked.why.clone()),
        notes: owner_notes(state),
        memory: memory(state, current, (phase, role))
            .into_iter()
            .map(MemoryEntry::prompt_text)
            .collect(),
        skills: skills(state, current, (phase, role))
            .into_iter()
            .map(MemoryEntry::prompt_text)
            .collect(),
        skill_wanted: may_propose_skill(current, role),
    };
    render(&plan.workflow, role, &context)
}

/// The files that are written for the agent of a phase.
pub(super) fn handover(state: &PipelineState, phase: &Phase) -> Vec<Handover> {
    let mut files = Vec::new();
    for artifact in artifacts(phase) {
        let content = match artifact.artifact.as_str() {
            // Changes that came from main are not part of the task, so the diff starts at the last merge of main.
            "diff" => HandoverContent::Diff {
                from: main_commit(state),
            },
            "conflicts" => HandoverContent::Text {
                text: conflicts(state),
            },
            _ => continue,
        };
        files.push(Handover {
            name: file_of(&artifact.artifact).to_owned(),
            content,
        });
    }
    if let Some(text) = tests_gone(state, phase) {
        files.push(Handover {
            name: GONE.to_owned(),
            content: HandoverContent::Text { text },
        });
    }
    files
}

/// Returns the files that the agent of a phase is given to read.
fn reads(state: &PipelineState, phase: &Phase) -> Vec<HandedOver> {
    let folder = state
        .prepared
        .as_ref()
        .map(|it| it.handover.as_str())
        .unwrap_or_default();
    let mut reads = Vec::new();
    for artifact in artifacts(phase) {
        let name = artifact.artifact.as_str();
        let (title, path) = match name {
            "request" => continue,
            "diff" => (
                "everything that the branch changes".to_owned(),
                format!("{folder}/{DIFF}"),
            ),
            "conflicts" => (
                "what git says about the conflicts".to_owned(),
                format!("{folder}/{CONFLICTS}"),
            ),
            other => match state.documents.get(other) {
                Some(path) => (title(state, other), path.clone()),
                None => continue,
            },
        };
        reads.push(HandedOver {
            name: name.to_owned(),
            title,
            path,
        });
    }
    if tests_gone(state, phase).is_some() {
        reads.push(HandedOver {
            name: "tests_gone".to_owned(),
            title: "tests that ran on the base and no longer run: say for each whether it may be removed"
                .to_owned(),
            path: format!("{folder}/{GONE}"),
        });
    }
    reads
}

/// Lists missing tests, for the reviewer of the diff.
fn tests_gone(state: &PipelineState, phase: &Phase) -> Option<String> {
    let judges = state
        .role_of(phase)
        .is_some_and(|role| role.shape == PayloadShape::Auditor);
    let is_read = artifacts(phase).iter().any(|reads| reads.artifact == "diff");
    let (base, now) = (state.prepared.as_ref()?, state.evidence.as_ref()?);
    let (gone, _) = now.gone_since(&base.evidence);
    let listed = gone.iter().map(|name| format!("{name}\n")).collect();
    (judges && is_read && !gone.is_empty()).then_some(listed)
}

fn artifacts(phase: &Phase) -> &[Reads] {
    match &phase.work {
        PhaseWork::Agent { reads, .. } => reads,
        PhaseWork::Merge | PhaseWork::Deliver => &[],
    }
}

fn file_of(artifact: &str) -> &'static str {
    if artifact == "diff" { DIFF } else { CONFLICTS }
}

/// Describes the document of a phase.
fn title(state: &PipelineState, phase: &str) -> String {
    let Some(phase) = state.plan.workflow.phase(phase) else {
        return phase.to_owned();
    };
    let is_plan = state.documents.get(&phase.name).cloned() == plan_document(state);
    match state.role_of(phase) {
        Some(_) if is_plan => "the implementation plan".to_owned(),
        Some(role) => format!("the document of the {} (phase {})", role.title, phase.label),
        None => format!("the document of phase {}", phase.label),
    }
}

/// Returns main as last merged, or the commit at which the branch began.
fn main_commit(state: &PipelineState) -> String {
    let merged = state.last_merge().map(|merge| merge.merged().main.commit.clone());
    let began = || state.prepared.as_ref().map(|it| it.base.clone());
    merged.or_else(began).unwrap_or_default()
}

fn conflicts(state: &PipelineState) -> String {
    let Some(merged) = state.last_merge().map(LastMerge::merged) else {
        return String::new();
    };
    let files: String = merged.files.iter().map(|file| format!("- {file}\n")).collect();
    format!(
        "Merging {} ({}) conflicts in:\n{files}\ngit says:\n{}\n",
        merged.main.name, merged.main.commit, merged.words
    )
}
