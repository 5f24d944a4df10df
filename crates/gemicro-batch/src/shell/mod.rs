//! The shell task: runs a command that the guard allows in the sandbox.
//!
//! # Theory of operation
//!
//! [`ShellExecutor`] checks the command against the policy, plans it with the guard's sandbox and starts it under a
//! supervisor (`spawn`). `process` waits for its end, its time limit or a cancel. Nothing of it is left running
//! afterwards, and nothing of it outlives this program. `capture` keeps its output, within limits. An unexpected exit
//! code, a denial, a timeout and a failed start are failures. A command that may have changed something is not retried.

mod capture;
mod executor;
mod process;
mod setup;
mod spawn;

pub(crate) use executor::check_policy;
pub use executor::{ShellExecutor, may_begin_again};
pub(crate) use process::{ProcessEnding, WaitingCommand};
pub use setup::ShellSetup;
