//! The steps of a merge queue on this machine: merge commits, checks on them, and the move of the target branch.
//!
//! Each step can be repeated after a kill: the same merges give the same commits, a check replaces what an earlier
//! attempt left, and a target that already has the merges is recognised.

mod build;
mod check;
mod land;
mod plan;
mod push;

pub(crate) use build::build;
pub use build::build_chain;
pub(crate) use check::check;
pub(crate) use land::land;
pub use plan::merge_plan;
pub(crate) use push::push;
