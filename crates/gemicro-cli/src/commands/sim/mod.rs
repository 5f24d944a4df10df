//! `gemicro sim`: model APIs on this machine, from scenario files; scenario files from real APIs; fake agent CLIs.
//!
//! `command` is the way in; `serve`, `record`, `scenarios` and `agent` are its verbs; `place` is where they listen,
//! `upstream` the way to a real API.

mod agent;
mod command;
mod place;
mod record;
mod scenarios;
mod serve;
mod upstream;

pub(crate) use command::{SimArgs, run};
