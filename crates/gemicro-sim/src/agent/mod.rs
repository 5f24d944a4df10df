//! A fake agent CLI: a process that does what a script says, for tests of whoever supervises agents.
//!
//! [`Script`] is the parsed file, an ordered list of [`Step`]s; [`run`] performs it on a [`Stage`], which is
//! everything that a process has; [`install()`] writes a program that a supervisor finds under the name of a real CLI.
//! It blocks, uses no network but what a script asks for, and starts processes only in `spawn`.

mod files;
mod http;
mod identity;
mod install;
mod perform;
mod report;
mod script;
mod signals;
mod spawn;
mod stage;
mod step;
mod text;
mod units;

pub use identity::Identity;
pub use install::install;
pub use perform::run;
pub use script::{Script, ScriptError};
pub use signals::SignalName;
pub use stage::Stage;
pub use step::{
    Child, Daemon, FileText, Flood, Fork, HexBytes, Http, Output, Play, Read, Repeat, Replacement, Standard,
    Step, Steps, Until, When,
};
pub use text::AgentText;
pub use units::Pause;
