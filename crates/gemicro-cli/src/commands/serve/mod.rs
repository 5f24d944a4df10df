//! `gemicro serve`: the HTTP API.

mod args;
mod command;
mod shelf;
mod start;

pub(crate) use args::ServeArgs;
pub(crate) use command::run;
pub(crate) use start::pipeline;
