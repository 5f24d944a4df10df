//! `gemicro guard`: the command policy for hooks (`check`) and for people (`explain`).
//!
//! `check` is called before every tool call of an agent, so `run` branches off to it before anything else starts.
//! Neither subcommand opens the store, the network or a project's settings.

mod check;
mod command;
mod explain;
mod requests;

pub(crate) use check::early;
pub(crate) use command::{GuardArgs, run};
