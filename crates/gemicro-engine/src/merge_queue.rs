//! Re-exports of the merge queue for the edges.

pub use gemicro_merge::{
    BuildInput, BuildResult, MergeFlow, MergePlan, MergeState, MergeSummary, QueuedBranch, UnreadyBranch,
};
pub use gemicro_steps::merge_queue::build_chain;
