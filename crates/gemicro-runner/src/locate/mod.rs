//! Finds a program and the parts of its installation that it needs.
//!
//! The main function is [`locate`]; `program_file` determines how the system would run a file.

mod find;
mod program_file;
mod wrapper;

pub use find::{LocatedProgram, locate};
pub use wrapper::hidden_target;
