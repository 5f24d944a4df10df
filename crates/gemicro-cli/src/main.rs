//! The `gemicro` program: the terminal edge of the workspace.
//!
//! `run` is the page to start at. Commands are one file each in `commands`; what they show comes from
//! `view` (a run while it happens) and `story` (a run as a whole); only this crate reads the environment.

mod agents;
mod answer_source;
mod approval;
mod args;
mod asker;
mod backend;
mod chat;
mod command_error;
mod commands;
mod config;
mod default_agent;
mod document_reader;
mod environment;
mod flow_table;
mod follow;
mod logging;
mod output;
mod recorder;
mod replayer;
mod report;
mod resident;
mod root_warning;
mod run;
mod runtime;
mod screen;
mod session;
mod signals;
mod spawn;
mod story;
mod tell_run;
mod token;
mod update_recording;
mod user_repository;
mod view;
mod workflow_file;

fn main() -> std::process::ExitCode {
    run::run()
}
