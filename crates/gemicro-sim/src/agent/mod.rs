//! A fake agent CLI: a process that does what a script says, for tests of whoever supervises agents.
//!
//! [`AgentScript`] is the parsed file, an ordered list of [`ScriptStep`]s; [`run`] performs it on a [`ScriptStage`], which is
//! everything that a process has; [`install()`] writes a program that a supervisor finds under the name of a real CLI.
//! It blocks, uses no network but what a script asks for, and starts processes only in `spawn`.

mod files;
mod http;
mod identity;
mod install;
mod perform;
mod report;
mod script;
mod script_stage;
mod signals;
mod spawn;
mod step;
mod text;
mod units;

pub use identity::AgentIdentity;
pub use install::install;
pub use perform::run;
pub use script::{AgentScript, ScriptError};
pub use script_stage::ScriptStage;
pub use signals::SignalName;
pub use step::{
    Child, ChildOutput, Daemon, FileText, Flood, Fork, HexBytes, Http, Play, ReadStdin, Repeat, Replacement,
    ScriptStep, ScriptSteps, Standard, StepCondition, Until,
};
pub use text::AgentText;
pub use units::Pause;
