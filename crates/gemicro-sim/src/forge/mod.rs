//! Scripted simulators of the GitHub and GitLab APIs; only the calls that a pipeline makes.
//!
//! [`ForgeSimulator::start`] serves a [`ForgeScript`] on a loopback address and returns a [`RunningForge`]: its
//! address, the calls it received, and its merge requests. Formats, statuses and error messages are those of the
//! services.
//!
//! `server` reads a call, `github` or `gitlab` determines its purpose, `world` applies the next fault of the script,
//! and `github` or `gitlab` answers from the `state`. Nothing here knows git: every branch exists.

mod github;
mod gitlab;
mod reply;
mod script;
mod server;
mod state;
mod world;

pub use script::{
    CallPurpose, ForgeApi, ForgeFault, ForgeFaultKind, ForgeScript, ForgeScriptError, ScriptedProtection,
    ScriptedRequest, TokenRights,
};
pub use server::{ForgeSimulator, RunningForge};
pub use state::{HeldRequest, HeldState};
pub use world::ForgeCall;
