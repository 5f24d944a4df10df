//! Scripted stand-ins for the APIs of GitHub and GitLab, as far as a pipeline asks them.
//!
//! [`ForgeSimulator::start`] serves a [`ForgeScript`] on a loopback address and gives a [`RunningForge`]: its address,
//! the calls that it saw, the requests that it holds. Shapes, statuses and texts of errors are those of the services.
//!
//! A call goes one way: `server` reads it, `github` or `gitlab` says what it is for, `world` lets the next fault of the
//! script step in, and `github` or `gitlab` answers from the `state`. Nothing here knows git: any branch exists.

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
