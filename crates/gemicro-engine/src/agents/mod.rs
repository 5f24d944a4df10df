//! Coding agents as executors: where the runner, the gateway and the sandbox meet.
//!
//! [`AgentExecutor`] runs the steps of kind `agent_cli`. Its files, in the order of a step: `setup` (what the edge
//! knows: keys, logins, addresses), `place` (folders of homes and sessions),
//! `login` (files of a login on their way in and back), `seen` (what the gateway tells while the
//! agent works), `executor` (one attempt), `verdict` (what it came to), `traces`
//! (what it left in its folder).

mod commons;
mod executor;
mod login;
mod place;
mod pool;
mod seen;
mod setup;
mod traces;
mod verdict;

pub use commons::AgentCommons;
pub use executor::AgentExecutor;
pub use place::agent_of_session;
pub use pool::WarmStatus;
pub use setup::{AgentAccess, AgentSetup, Login};
