//! `gemicro doctor`: checks whether everything is in place, and says how to fix what is not.

mod agents;
#[cfg(test)]
mod agents_tests;
mod ask_version;
mod command;
mod finding;
mod forge;
mod models;
mod notifications;
mod sandbox;

pub(crate) use agents::{can_answer, obstacles};
pub(crate) use command::{DoctorArgs, run};
