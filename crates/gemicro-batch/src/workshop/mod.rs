//! A workshop: a private folder with a project in it, in which commands run inside the sandbox.
//!
//! The main type is [`Workshop`]. Files are written by a process inside, too: what earlier commands left there (a link,
//! a pipe) can then mislead nobody but themselves. [`private_copy`] makes such a folder of a project that has no
//! repository, or that should get no branch.

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
