//! `gemicro research`, and `gemicro "question"`.

mod args;
mod batch;
mod command;
mod dry_run;
mod questions;
mod views;
mod watch_run;

pub(crate) use args::ResearchArgs;
pub(crate) use command::{ResolvedSettings, plan_request, run};
pub(crate) use views::views;
pub(crate) use watch_run::{ResearchDisplay, watch};
