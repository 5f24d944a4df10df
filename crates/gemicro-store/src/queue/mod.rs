//! Steps for workers in any process, as rows beside the journal.
//!
//! Theory of operation: whatever a worker says about its attempt goes through the writer like an append, so the
//! fenced change of the row ([`QueueRow`]) and the facts are one transaction, and many share a commit. Everything
//! else (`enqueue`, `claim`, `heartbeat`, `upkeep`) is a transaction of its own. All of them lock in one order:
//! streams, limits of providers, rows of the queue by number.

mod claim;
mod enqueue;
mod heartbeat;
mod limits;
mod port;
mod queue_row;
mod upkeep;

pub(crate) use queue_row::{ExpiredLease, PLACES, QueueRow, load_places};
