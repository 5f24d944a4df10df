//! `gemicro sim`: serves model APIs from scenario files, records scenario files from real APIs, and fakes agent CLIs.
//!
//! `command` is the entry point; `serve`, `record`, `scenarios` and `agent` are its subcommands; `place` is the address
//! they listen on, `upstream` the connection to a real API.

mod agent;
mod command;
mod place;
mod record;
mod scenarios;
mod serve;
mod upstream;

pub(crate) use command::{SimArgs, run};
