//! What an agent may do, and the walls that hold when it does more.
//!
//! [`policy`] judges tool calls and answers early, with a hint; [`hook`] reads and writes the formats in
//! which agent CLIs ask; [`sandbox`] is what really holds. [`repository`] is where agents work and how their work comes
//! back. This crate knows no models, prompts, phases or storage.

mod git_folder;
pub mod hook;
pub mod policy;
#[cfg(target_os = "linux")]
pub mod repository;
pub mod sandbox;
mod search_path;

pub use git_folder::is_git_folder;
pub use search_path::{ProgramLookup, find_program, look_at, search_path};
