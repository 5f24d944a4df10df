//! The project's memory in a pipeline: the notes and skills that a prompt contains, and which agents may propose a skill.

use gemicro_memory::{MemoryEntry, select};

use super::current_phase::CurrentPhase;
use super::state::PipelineState;
use crate::payload::PayloadShape;
use crate::workflow::{Phase, Role};

/// The round of a developer from which its work counts as hard: two rounds before it were rejected.
const HARD_ROUND: u32 = 3;
/// Maximum tokens of skills in a prompt.
const SKILL_TOKENS: u64 = 6_000;

/// The entries of the project's memory for a phase: those about the task, the phase, its role or its feedback.
pub(super) fn memory<'s>(
    state: &'s PipelineState,
    current: &CurrentPhase,
    (phase, role): (&Phase, &Role),
) -> Vec<&'s MemoryEntry> {
    let entries = state.prepared.iter().flat_map(|it| &it.memory);
    let live = entries.filter(|it| it.skill.is_none());
    select(
        live,
        &subject(state, current, (phase, role)),
        state.plan.workflow.memory_tokens.into(),
    )
}

/// Returns true if the agent of a phase may propose a skill: it resolves a merge conflict, or its work was rejected twice.
pub(super) fn may_propose_skill(current: &CurrentPhase, role: &Role) -> bool {
    match role.shape {
        PayloadShape::IntegrationSpecialist => true,
        PayloadShape::Developer => current.round >= HARD_ROUND,
        PayloadShape::Investigator
        | PayloadShape::Researcher
        | PayloadShape::LeadAnalyst
        | PayloadShape::Architect
        | PayloadShape::PlanReviewer
        | PayloadShape::Auditor => false,
    }
}

/// The approved skills for a phase. Only roles that change code are given any, so that no skill can tell a reviewer what
/// to decide.
pub(super) fn skills<'s>(
    state: &'s PipelineState,
    current: &CurrentPhase,
    (phase, role): (&Phase, &Role),
) -> Vec<&'s MemoryEntry> {
    let is_off = state.plan.workflow.memory_tokens == 0;
    let Some(prepared) = state
        .prepared
        .as_ref()
        .filter(|_| role.shape.commits() && !is_off)
    else {
        return Vec::new();
    };
    let live = prepared.memory.iter().filter(|it| it.skill.is_some());
    select(live, &subject(state, current, (phase, role)), SKILL_TOKENS)
}

/// The text that notes and skills for a phase must share words with.
fn subject(state: &PipelineState, current: &CurrentPhase, (phase, role): (&Phase, &Role)) -> String {
    let feedback = current.feedback.as_deref().unwrap_or_default();
    let step = format!("{} {} {}", phase.name.replace('_', " "), role.title, feedback);
    format!("{}\n{step}", state.plan.task)
}
