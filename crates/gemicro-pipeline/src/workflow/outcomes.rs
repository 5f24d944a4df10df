//! The words with which a phase can end: the one table of what each shape and action can say.

use super::model::{PhaseWork, Role};
use crate::payload::PayloadShape;

/// The outcome of a phase that decides nothing; in the file it is the key `next`.
pub const DONE: &str = "done";

/// The outcomes of a phase's work, `role` being that of an agent.
///
/// An honest failure is not among them: the task ends with it.
#[must_use]
pub fn outcomes(work: &PhaseWork, role: Option<&Role>) -> &'static [&'static str] {
    match work {
        PhaseWork::Agent { .. } => role.map_or(&[], |role| words(role.shape)),
        PhaseWork::Merge => &["merged", "up_to_date", "conflict"],
        PhaseWork::Deliver => &[DONE],
    }
}

/// Whether the shape carries a verdict on somebody's work.
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

/// Whether the shape names a document that its agent wrote.
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

/// Whether the shape names a commit.
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
