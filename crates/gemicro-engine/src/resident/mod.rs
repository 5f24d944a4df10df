//! The resident worker: carries out runs that must outlive the command that wanted them.
//!
//! # Theory of operation
//!
//! There is at most one per store: it holds a lock on `worker/lock` in the state folder for as long as it lives, so
//! a dead one leaves nothing that could be in the way. Clients reach it over the socket beside it. Each
//! connection is one call: a line of JSON there, lines of JSON back ([`wire`]).
//!
//! A client chooses the id of the run it starts, so a call that was cut off can be made again without starting
//! anything twice. Surroundings (keys, folder, settings) come with each start; the worker never reads them from
//! another client. They stay in memory.
//!
//! A run says in its first event that it is resident. A worker that starts looks for such runs that were cut off,
//! and for parked ones whose process died, and goes on with them. It leaves when it carries nothing, keeps
//! nothing warm, and nobody has called for a while.

mod adopt;
mod call;
mod client;
mod place;
mod run_services;
mod server;
mod wire;
mod worker_state;

pub use client::{Resident, StartWorker};
pub use place::is_free;
pub use run_services::BuildConfig;
pub use server::{ResidentWorker, WorkerConfig};
pub use wire::{BinaryId, CarriedRun, WorkerStatus};
