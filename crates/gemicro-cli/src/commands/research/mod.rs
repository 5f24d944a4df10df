//! `gemicro research`, and `gemicro "question"`.

mod args;
mod batch;
mod command;
mod dry_run;
mod questions;
mod views;

pub(crate) use args::ResearchArgs;
pub(crate) use command::{announce_suspension, run};
pub(crate) use views::views;
