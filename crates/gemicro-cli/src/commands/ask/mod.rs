//! `gemicro ask`: one prompt for one coding agent.

mod args;
mod command;
mod template;
mod view;

pub(crate) use args::{AgentArg, AskArgs, Sandbox};
pub(crate) use command::{AskDisplay, run, show};
