//! `gemicro sim`: model APIs on this machine, from scenario files; and scenario files from real APIs.
//!
//! `command` is the way in; `serve`, `record` and `scenarios` are its three verbs; `place` is where they listen,
//! `upstream` the way to a real API.

mod command;
mod place;
mod record;
mod scenarios;
mod serve;
mod upstream;

pub(crate) use command::{SimArgs, run};
