//! The queue of steps for workers in any process, as rows next to the journal.
//!
//! Theory of operation: a worker's reports about its attempt go through the writer like an append, so the fenced change
//! of the row ([`QueueRow`]) and the events are one transaction, and many share a commit. Everything else (`enqueue`,
//! `claim`, `heartbeat`, `upkeep`) is its own transaction. All of them lock in the same order: streams, limits of
//! providers, rows of the queue by number.

mod claim;
mod enqueue;
mod heartbeat;
mod limits;
mod port;
mod queue_row;
mod upkeep;

pub(crate) use queue_row::{ExpiredLease, PLACES, QueueRow, load_places};
