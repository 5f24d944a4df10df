//! The merge queue: finished branches become part of a target branch such as `main`, one merge commit each.
//!
//! # Theory of operation
//!
//! [`MergeFlow`] builds a chain of merge commits on top of the target, one per branch in order (`build` step). A branch
//! that conflicts is taken out of the chain. Then the project's checks run on commits of the chain (`check` steps), the
//! last one first: [`find_next`] decides which commit is checked next, finds the first failing one by bisection, and
//! takes its branch out. The chain is built again without it; commits before it stay the same, and keep their
//! verdicts. When every commit of the chain passed, the target moves to its end in one step (`land`). If the target
//! moved meanwhile, the chain is built again on top of it.
//!
//! Everything here is pure; `gemicro-steps` runs the steps.

mod definition;
mod flow;
mod plan;
mod result;
mod search;
mod state;
mod steps;

pub use flow::MergeFlow;
pub use plan::{MergePlan, QueuedBranch, UnreadyBranch};
pub use result::MergeSummary;
pub use search::{NextMove, find_next};
pub use state::MergeState;
pub use steps::{
    BUILD_STEP, BranchConflict, BuildInput, BuildResult, CHECK_STEP, ChainCommit, LAND_STEP, LandInput,
    LandResult, PUSH_STEP, PushInput, PushResult,
};
