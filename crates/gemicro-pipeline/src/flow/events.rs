//! The events of a pipeline.

use gemicro_core::ask::AgentName;
use gemicro_event::{CommandId, event_payload, event_readers};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::payload::{AgentPayload, ReadState};
use crate::steps::{DeliverResult, Evidence, ImportStepResult, InitResult, MergeResult, RecordResult};
use crate::workflow::PipelineMode;

/// The branch exists, and the checks pass on its base. Recorded once per task, by its first step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PipelinePrepared {
    /// Short name of the task, used in documents.
    pub feature: String,
    /// How the task begins.
    pub mode: PipelineMode,
    /// Result of the first step.
    pub prepared: InitResult,
}
event_payload!(PipelinePrepared, "pipeline_prepared", |it| format!(
    "Created branch '{}'",
    it.prepared.branch
));

/// A phase began. Recorded with its first step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PhaseStarted {
    /// Its name in the workflow.
    pub phase: String,
    /// Display name, such as `A.1`.
    pub label: String,
    /// The role at work; absent if gemicro does the work itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// The agent CLI that does the work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentName>,
    /// The model, if one is configured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// How many times the phase was entered, including this time.
    pub round: u32,
    /// Ids of the notes and skills of the project that the prompt contains.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub memory: Vec<String>,
}
event_payload!(PhaseStarted, "phase_started", |it| match &it.role {
    Some(role) => format!("Phase {}: spawning {role}", it.label),
    None => format!("Phase {}: {}", it.label, it.phase),
});

/// An agent answered. Recorded once per answer, usable or not.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PhaseAnswered {
    /// Name of the phase in the workflow.
    pub phase: String,
    /// Number of the round, counted from 1.
    pub round: u32,
    /// Number of the answer in this round, counted from 1.
    pub ask: u32,
    /// Name of the role that answered.
    pub role: String,
    /// Result of parsing the payload.
    pub state: ReadState,
    /// Whether the payload was tagged with the step's nonce.
    pub tagged: bool,
    /// The parsed answer, if it could be parsed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payload: Option<AgentPayload>,
    /// Why the agent is asked again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// Contradiction within the answer, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dishonest: Option<String>,
    /// Session in which to ask again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Tool calls that the guard refused.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub denials: Vec<String>,
}
event_payload!(PhaseAnswered, "phase_answered", |it| match &it.refused {
    None => format!("{} answered", it.role),
    Some(why) => format!("Asking {} again: {why}", it.role),
});

/// An agent's work was imported, or refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PhaseImported {
    /// Name of the phase in the workflow.
    pub phase: String,
    /// Number of the round, counted from 1.
    pub round: u32,
    /// The imported changes; absent if they were refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub taken: Option<ImportStepResult>,
    /// Why it was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
}
event_payload!(
    PhaseImported,
    "phase_imported",
    |it| match (&it.taken, &it.refused) {
        (Some(taken), _) => format!(
            "Imported {} from {}",
            count(taken.commits.len(), "commit"),
            it.phase
        ),
        (None, Some(why)) => format!("Refused the changes of {}: {why}", it.phase),
        (None, None) => format!("Imported nothing from {}", it.phase),
    }
);

/// gemicro ran the checks itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PhaseChecked {
    /// Name of the phase in the workflow.
    pub phase: String,
    /// Number of the round, counted from 1.
    pub round: u32,
    /// The tree that was checked, and the result of every check.
    pub evidence: Evidence,
}
event_payload!(
    PhaseChecked,
    "phase_checked",
    |it| match it.evidence.faults().len() {
        0 => format!("Checks: {} passed", it.evidence.checks.len()),
        n => format!("Checks: {n} of {} failed", it.evidence.checks.len()),
    }
);

/// gemicro committed its own documents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PhaseRecorded {
    /// Name of the phase in the workflow.
    pub phase: String,
    /// Number of the round, counted from 1.
    pub round: u32,
    /// The commit and its documents.
    pub recorded: RecordResult,
}
event_payload!(PhaseRecorded, "phase_recorded", |it| format!(
    "Committed {}",
    count(it.recorded.paths.len(), "document")
));

/// Main was merged into the branch, or the merge was attempted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BranchMerged {
    /// Name of the phase in the workflow.
    pub phase: String,
    /// Number of the round, counted from 1.
    pub round: u32,
    /// Whether the merge succeeded, and the files in conflict.
    pub merged: MergeResult,
}
event_payload!(BranchMerged, "branch_merged", |it| format!(
    "Merge of {}: {}",
    it.merged.main.name,
    it.merged.outcome.word().replace('_', " ")
));

/// The branch was submitted for merging.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PipelineDelivered {
    /// Name of the phase in the workflow.
    pub phase: String,
    /// Number of the round, counted from 1.
    pub round: u32,
    /// The push and the merge request.
    pub delivered: DeliverResult,
}
event_payload!(
    PipelineDelivered,
    "pipeline_delivered",
    |it| match &it.delivered.url {
        Some(url) => format!("Offered at {url}"),
        None => "The branch is ready".to_owned(),
    }
);

/// A phase ended. Once per round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PhaseEnded {
    /// Name of the phase in the workflow.
    pub phase: String,
    /// Display name, such as `A.1`.
    pub label: String,
    /// Number of the round, counted from 1.
    pub round: u32,
    /// Outcome of the phase; `again` if the same phase is entered once more, `stop` if the task ends.
    pub outcome: String,
    /// Reasons, unless the phase succeeded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
    /// The agent's feedback, besides its verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feedback: Option<String>,
    /// Path of the document that the phase left, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<String>,
    /// Tip of the branch.
    pub commit: String,
    /// The tree of that commit, without the documents of tasks.
    pub tree: String,
    /// The next phase, or the one that `stop` prevented; absent at the end of the task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}
impl PhaseEnded {
    /// Whether work has to be done again. After any other outcome, the agent's feedback is only a remark.
    #[must_use]
    pub fn sends_back(&self) -> bool {
        !self.reasons.is_empty() || matches!(self.outcome.as_str(), "REJECT" | "FAIL" | "again")
    }
}

event_payload!(PhaseEnded, "phase_ended", |it| match it.reasons.first() {
    None => format!("Phase {}: {}", it.label, it.outcome),
    Some(why) => format!(
        "Phase {}: {}: {}",
        it.label,
        it.outcome,
        why.lines().next().unwrap_or_default()
    ),
});

/// The owner's notes for agents differ from those in the prompt. Recorded by the step that found it; its prompt has
/// them, and those of later steps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OwnerNotesChanged {
    /// The notes now; absent if the owner removed them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    /// Whether the file is longer than what agents get.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_cut: bool,
}
event_payload!(OwnerNotesChanged, "owner_notes_changed", |it| {
    match (&it.notes, it.is_cut) {
        (None, _) => "The owner removed the notes for agents",
        (Some(_), false) => "The owner changed the notes for agents",
        (Some(_), true) => {
            "The owner changed the notes for agents; the file is too long, and its end is left out"
        }
    }
    .to_owned()
});

/// The owner gave agents an instruction, which counts from the next step on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OwnerInstructed {
    /// Id of the command that this records.
    pub command_id: CommandId,
    /// The owner's words.
    pub text: String,
    /// Name that the owner gave, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}
event_payload!(OwnerInstructed, "owner_instructed", |it| format!(
    "Instruction from the next step on: {}",
    it.text.lines().next().unwrap_or_default()
));

event_readers! {
    /// Readers for the events of pipelines.
    pub trait PipelineReaders {
        PipelinePrepared => as_pipeline_prepared, try_as_pipeline_prepared;
        PhaseStarted => as_phase_started, try_as_phase_started;
        PhaseAnswered => as_phase_answered, try_as_phase_answered;
        PhaseImported => as_phase_imported, try_as_phase_imported;
        PhaseChecked => as_phase_checked, try_as_phase_checked;
        PhaseRecorded => as_phase_recorded, try_as_phase_recorded;
        BranchMerged => as_branch_merged, try_as_branch_merged;
        PipelineDelivered => as_pipeline_delivered, try_as_pipeline_delivered;
        PhaseEnded => as_phase_ended, try_as_phase_ended;
        OwnerNotesChanged => as_owner_notes_changed, try_as_owner_notes_changed;
        OwnerInstructed => as_owner_instructed, try_as_owner_instructed;
    }

    /// Registers the events of pipelines.
    pub fn register;
}

fn count(n: usize, what: &str) -> String {
    match n {
        1 => format!("1 {what}"),
        n => format!("{n} {what}s"),
    }
}
