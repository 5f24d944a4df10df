//! Rejects bad workflows before they cost anything: one file per group of rules, all adding to one report.

mod artifacts;
mod documents;
mod edges;
mod masks;
mod names;
mod numbers;
mod paths;
mod prompts;
mod questions;
mod reach;
mod roles;
mod rules;

pub(super) use names::is_prompt_name;
pub(super) use rules::check;
pub use rules::warnings;
