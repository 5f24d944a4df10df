//! `gemicro demo`: the whole bugfix pipeline on a throwaway repository, with agents whose words are written beforehand.
//!
//! Everything but those words is the real thing: git, the sandbox, the gates, the checks, the merge.

mod command;
mod project;
mod spawn;

pub(crate) use command::{DemoArgs, run};
