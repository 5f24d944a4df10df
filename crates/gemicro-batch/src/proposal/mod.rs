//! Tests proposed by a model: the material, the questions, and the checks of its answers.
//!
//! [`MaterialExecutor`] gathers the code, its uncovered lines and the neighbouring tests; [`TestPrompts`] turn them
//! into the question; [`CheckExecutor`] reads the test file from the answer, refuses anything that is not a test, and
//! runs it if requested. [`ProposalFlow`] is the flow of `propose_test` and `refine_test`: it asks again, with the
//! failure, as often as its plan allows. The OODA loop uses the same parts.

mod check;
#[cfg(target_os = "linux")]
mod checker;
mod definition;
mod events;
mod flow;
mod gather;
mod import_line;
mod material;
mod neighbours;
mod plan;
mod prompts;
mod ready;

pub use check::{
    CHECK_STEP, PatchProblem, PatchedFile, ProblemKind, ProposalCheckInput, ProposalChecked, TestTrial,
    TriedTest,
};
#[cfg(target_os = "linux")]
pub use checker::CheckExecutor;
pub use events::{ProposalReaders, TestChecked, TestMaterialGathered, TestProposed, register};
pub use flow::{ProposalFlow, ProposalState};
pub use gather::MaterialExecutor;
pub use material::{Excerpt, MATERIAL_STEP, MaterialInput, Neighbour, ProposalAim, ProposalMaterial};
pub use plan::ProposalPlan;
pub use prompts::{EarlierTest, ProposalQuestion, TestPrompts};
pub(crate) use ready::{ReadyProposal, ready};
