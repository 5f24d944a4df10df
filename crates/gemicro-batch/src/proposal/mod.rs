//! Tests proposed by a model: what it is shown, what it is asked, and what becomes of its answer.
//!
//! [`MaterialExecutor`] gathers the code, its uncovered lines and the neighbouring tests; [`TestPrompts`] make the
//! question of them; [`CheckExecutor`] reads the test file out of the answer, refuses what is no test, and tries it where
//! that is wanted. [`ProposalFlow`] is the run behind `propose_test` and `refine_test`: it asks again, with the
//! reason, as often as its plan allows. The OODA loop uses the same parts.

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
