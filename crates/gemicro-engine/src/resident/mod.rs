//! The background worker: drives runs that must outlive the command that started them.
//!
//! # Theory of operation
//!
//! There is at most one per store: it locks `worker/lock` in the state folder for as long as it lives, so a dead one
//! blocks nothing. Clients reach it over the socket next to the lock. Each connection is one call: one line of JSON
//! as the request, lines of JSON as the answer ([`wire`]).
//!
//! A client chooses the id of the run it starts, so an interrupted call can be repeated without starting anything
//! twice. The client's environment (keys, folder, settings) is sent with each start, kept in memory, and never used
//! for another client.
//!
//! The first event of a run says whether it is resident. A new worker looks for such runs that were interrupted, and
//! for parked ones whose process died, and resumes them. It exits when it drives no run, keeps no agent warm, and has
//! not been called for a while.

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
