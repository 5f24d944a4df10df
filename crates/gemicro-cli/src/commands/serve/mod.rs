//! `gemicro serve`: the HTTP API.

mod args;
mod batch;
mod command;
mod research;
mod shelf;
mod start;

pub(crate) use args::ServeArgs;
pub(crate) use command::run;
