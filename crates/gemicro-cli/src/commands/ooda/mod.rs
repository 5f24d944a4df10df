//! `gemicro ooda`: observes coverage, orients, decides and acts in a loop, to improve the tests of a project.

mod args;
mod command;
mod file;
mod gap_decision;
mod view;

pub(crate) use args::OodaArgs;
pub(crate) use command::{OodaDisplay, check_backend, plan_loop, run, watch};
