//! `gemicro serve`: the HTTP API.

mod args;
mod batch;
mod command;
mod research;
mod shelf;

pub(crate) use args::ServeArgs;
pub(crate) use command::run;
