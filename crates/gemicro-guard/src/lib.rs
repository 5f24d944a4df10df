//! Limits what an agent may do: a policy that judges its calls, and a sandbox that enforces the limits.
//!
//! [`policy`] judges tool calls and answers early, with a hint; [`hook`] reads and writes the formats in which agent
//! CLIs ask; [`sandbox`] is the real enforcement. [`repository`] is where agents work and how their work is imported.
//! This crate knows nothing about models, prompts, phases or storage.

mod git_folder;
pub mod hook;
pub mod policy;
#[cfg(target_os = "linux")]
pub mod repository;
pub mod sandbox;
mod search_path;

pub use git_folder::is_git_folder;
pub use search_path::{ProgramLookup, find_program, look_at, search_path};
