//! `cargo xtask bench [NAME]`: measures speed and quality, and prints the figures with their bars (targets).

mod bench_desk;
mod branches;
mod chat;
mod command;
mod growth;
mod guard;
mod json_rpc;
mod mcp;
mod models;
mod naive;
mod ordinary;
mod outcome;
mod pipeline;
mod release;
mod research;
mod samples;
mod simulator;
mod startup;
mod table;
mod warm;

pub(crate) use command::run;
pub(crate) use release::{built_binary, release_binary};
pub(crate) use research::{check as check_research, score_sets};
pub(crate) use simulator::BenchSimulator;
pub(crate) use table::table;
