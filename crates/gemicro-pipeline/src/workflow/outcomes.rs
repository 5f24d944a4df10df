//! The possible outcomes of each kind of phase.

use super::model::{PhaseWork, Role};
use crate::payload::PayloadShape;

/// The outcome of a phase that decides nothing; in the file it is the key `next`.
pub const DONE: &str = "done";

/// Returns the possible outcomes of a phase; `role` is that of its agent.
///
/// A failure that the agent admits is not an outcome: it ends the task.
#[must_use]
pub fn outcomes(work: &PhaseWork, role: Option<&Role>) -> &'static [&'static str] {
    match work {
        PhaseWork::Agent { .. } => role.map_or(&[], |role| words(role.shape)),
        PhaseWork::Merge => &["merged", "up_to_date", "conflict"],
        PhaseWork::Deliver => &[DONE],
    }
}

/// Returns true if the payload has a verdict on another role's work.
pub(super) fn is_reviewer(shape: PayloadShape) -> bool {
    match shape {
        PayloadShape::LeadAnalyst | PayloadShape::PlanReviewer | PayloadShape::Auditor => true,
        PayloadShape::Investigator
        | PayloadShape::Researcher
        | PayloadShape::Architect
        | PayloadShape::Developer
        | PayloadShape::IntegrationSpecialist => false,
    }
}

/// Returns true if the payload names a document that its agent wrote.
pub(super) fn names_document(shape: PayloadShape) -> bool {
    match shape {
        PayloadShape::Investigator
        | PayloadShape::Researcher
        | PayloadShape::Architect
        | PayloadShape::Auditor => true,
        PayloadShape::LeadAnalyst
        | PayloadShape::PlanReviewer
        | PayloadShape::Developer
        | PayloadShape::IntegrationSpecialist => false,
    }
}

/// Returns true if the payload names a commit.
pub(super) fn names_commit(shape: PayloadShape) -> bool {
    match shape {
        PayloadShape::Developer | PayloadShape::IntegrationSpecialist => true,
        PayloadShape::Investigator
        | PayloadShape::Researcher
        | PayloadShape::LeadAnalyst
        | PayloadShape::Architect
        | PayloadShape::PlanReviewer
        | PayloadShape::Auditor => false,
    }
}

fn words(shape: PayloadShape) -> &'static [&'static str] {
    match shape {
        PayloadShape::Investigator
        | PayloadShape::Researcher
        | PayloadShape::Architect
        | PayloadShape::Developer
        | PayloadShape::IntegrationSpecialist => &[DONE],
        PayloadShape::LeadAnalyst => &["APPROVE", "REJECT", "ESCALATE"],
        PayloadShape::PlanReviewer => &["APPROVE", "REJECT"],
        PayloadShape::Auditor => &["PASS", "FAIL"],
    }
}
