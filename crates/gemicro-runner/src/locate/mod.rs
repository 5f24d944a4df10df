//! Where a program is, and what of its installation it has to see.
//!
//! The main function is [`locate`]; `program_file` looks into a file to see how the system would run it.

mod find;
mod program_file;
mod wrapper;

pub use find::{LocatedProgram, locate};
pub use wrapper::hidden_target;
