//! The words with which a phase can end: the one table of what each shape and action can say.

use super::model::{Role, Work};
use crate::payload::Shape;

/// The outcome of a phase that decides nothing; in the file it is the key `next`.
pub const DONE: &str = "done";

/// The outcomes of a phase's work, `role` being that of an agent.
///
/// An honest failure is not among them: the task ends with it.
#[must_use]
pub fn outcomes(work: &Work, role: Option<&Role>) -> &'static [&'static str] {
    match work {
        Work::Agent { .. } => role.map_or(&[], |role| words(role.shape)),
        Work::Merge => &["merged", "up_to_date", "conflict"],
        Work::Deliver => &[DONE],
    }
}

/// Whether the shape carries a verdict on somebody's work.
pub(super) fn is_reviewer(shape: Shape) -> bool {
    match shape {
        Shape::LeadAnalyst | Shape::PlanReviewer | Shape::Auditor => true,
        Shape::Investigator
        | Shape::Researcher
        | Shape::Architect
        | Shape::Developer
        | Shape::IntegrationSpecialist => false,
    }
}

/// Whether the shape names a document that its agent wrote.
pub(super) fn names_document(shape: Shape) -> bool {
    match shape {
        Shape::Investigator | Shape::Researcher | Shape::Architect | Shape::Auditor => true,
        Shape::LeadAnalyst | Shape::PlanReviewer | Shape::Developer | Shape::IntegrationSpecialist => false,
    }
}

/// Whether the shape names a commit.
pub(super) fn names_commit(shape: Shape) -> bool {
    match shape {
        Shape::Developer | Shape::IntegrationSpecialist => true,
        Shape::Investigator
        | Shape::Researcher
        | Shape::LeadAnalyst
        | Shape::Architect
        | Shape::PlanReviewer
        | Shape::Auditor => false,
    }
}

fn words(shape: Shape) -> &'static [&'static str] {
    match shape {
        Shape::Investigator
        | Shape::Researcher
        | Shape::Architect
        | Shape::Developer
        | Shape::IntegrationSpecialist => &[DONE],
        Shape::LeadAnalyst => &["APPROVE", "REJECT", "ESCALATE"],
        Shape::PlanReviewer => &["APPROVE", "REJECT"],
        Shape::Auditor => &["PASS", "FAIL"],
    }
}
