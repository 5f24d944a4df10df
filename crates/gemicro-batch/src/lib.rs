//! Batches: many tasks submitted together and polled by one id, and the task types for tests and coverage.
//!
//! [`contract`] defines requests and answers; [`types`] the task types; [`reference`](mod@reference) inserts the
//! output of one task into the parameters of another; [`flow`] decides the next steps from the journal. [`shell`]
//! runs commands.
//!
//! [`coverage`] reads reports; [`strategy`] ranks the uncovered code; [`proposal`] asks a model for a test, which
//! [`patch`] parses and [`mutants`] checks; [`ooda`] repeats all that in a loop, in a [`workshop`]. [`project`] reads
//! a project's files. This crate has no storage, HTTP or terminal code.

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
