//! A fake agent CLI: a process that performs a script, for tests of agent supervision.
//!
//! [`AgentScript`] is the parsed file, an ordered list of [`ScriptStep`]s; [`run`] performs it on a [`ScriptStage`],
//! which holds everything a process has; [`install()`] writes a program with the name of a real CLI, for a supervisor
//! to find. It blocks, uses the network only if a script says so, and starts processes only in `spawn`.

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
