//! Batches: many tasks handed in at once, polled by one id.
//!
//! [`contract`] is what goes in and comes out; [`types`] are the kinds of task; [`reference`](mod@reference) puts the output of
//! one task into the parameters of another; [`flow`] decides, as every flow does, from the journal alone. [`shell`]
//! carries out the one step whose effect belongs here. This crate knows no storage, no HTTP and no terminal.

pub mod contract;
pub mod flow;
pub mod reference;
#[cfg(target_os = "linux")]
pub mod shell;
pub mod types;
