//! Batches: many tasks handed in at once, polled by one id; and what such tasks do with tests and coverage.
//!
//! [`contract`] is what goes in and comes out; [`types`] are the kinds of task; [`reference`](mod@reference) puts the output of
//! one task into the parameters of another; [`flow`] decides, as every flow does, from the journal alone. [`shell`]
//! carries out commands.
//!
//! [`coverage`] reads reports; [`strategy`] ranks what they leave open; [`proposal`] lets a model write a test, which
//! [`patch`] reads and [`mutants`] put to the proof; [`ooda`] is the loop of all that, in a [`workshop`]. [`project`] reads
//! a project's files. This crate knows no storage, no HTTP and no terminal.

pub mod contract;
pub mod coverage;
pub mod flow;
pub mod mutants;
pub mod ooda;
pub mod patch;
pub mod project;
pub mod proposal;
pub mod reference;
#[cfg(target_os = "linux")]
pub mod shell;
pub mod strategy;
pub mod types;
#[cfg(target_os = "linux")]
pub mod workshop;
