//! The shell task: a command that the guard allowed, in the sandbox, to its end.
//!
//! # Theory of operation
//!
//! [`ShellExecutor`] lets the command policy judge the command as it will be run, plans it with the guard's sandbox and
//! starts it under a keeper (`spawn`). `process` waits for its end, its time limit or a cancel; nothing of it is left
//! afterwards, whichever came first, and nothing of it outlives this program. `capture` keeps what it printed, within
//! bounds. Any exit code is a result; denied, late and not started are failures. What may have changed something
//! is not tried a second time.

mod capture;
mod executor;
mod process;
mod setup;
mod spawn;

pub(crate) use executor::check_policy;
pub use executor::{ShellExecutor, may_begin_again};
pub(crate) use process::{ProcessEnding, WaitingCommand};
pub use setup::ShellSetup;
