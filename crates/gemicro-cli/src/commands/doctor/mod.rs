//! `gemicro doctor`: checks whether everything is in place, and says how to fix what is not.

mod agents;
#[cfg(test)]
mod agents_tests;
mod ask_version;
mod command;
mod default_agent;
mod finding;
mod forge;
mod models;
mod notifications;
mod sandbox;

pub(crate) use agents::{can_answer, obstacles, ready_agents};
pub(crate) use command::{DoctorArgs, run};
