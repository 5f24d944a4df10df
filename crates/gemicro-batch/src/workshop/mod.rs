//! A workshop: a private folder with a project, in which commands run inside the sandbox.
//!
//! The main type is [`Workshop`]. Files are also written by a process inside the sandbox, so that links or pipes left
//! by earlier commands cannot redirect a write to the outside. [`private_copy`] makes such a folder for a project
//! without a repository, or one that should get no branch.

mod copy;
mod held_folder;
mod renewable;
mod toolchains;
mod workshop_folder;

pub use copy::{IsTaken, PrivateCopy, copy_over, private_copy};
pub use held_folder::{hold_new, remove_unheld};
pub use renewable::Renewable;
pub use toolchains::{Toolchains, is_toolchain_variable};
pub use workshop_folder::{CommandRun, Workshop};
