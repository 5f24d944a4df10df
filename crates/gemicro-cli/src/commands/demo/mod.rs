//! `gemicro demo`: runs the whole bugfix pipeline on a throwaway repository, with scripted agents.
//!
//! Everything except the agents' answers is real: git, the sandbox, the gates, the checks, the merge.

mod command;
mod project;
mod spawn;

pub(crate) use command::{DemoArgs, run};
