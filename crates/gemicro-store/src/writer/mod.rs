//! The one writer of a process.
//!
//! Theory of operation: callers send [`WriteRequest`]s; the writer takes all that wait, checks each against the
//! [`StreamState`]s in memory ([`state`]), writes what the accepted ones change in a few statements
//! ([`flush`]), commits once and answers everybody ([`task`]). A refused request touches nothing. The states
//! stay valid while SQLite's `data_version` says that no other process has committed; on PostgreSQL, where others
//! write at the same time, they are read and locked anew in each transaction ([`load`]). Anything rarer is a
//! [`Job`]: a transaction of its own, on SQLite on the same connection.

mod connection;
mod fault;
mod flush;
mod group;
mod load;
mod request;
mod state;
mod task;

pub(crate) use connection::Connection;
pub(crate) use fault::GroupFault;
pub(crate) use flush::{BOARD, RUNNING_STEPS, RUNS, board_values, run_values};
pub(crate) use group::Group;
pub(crate) use request::{Job, JobScope, SpilledBlob, WriteAction, WriteRequest, WriteResult};
pub(crate) use state::{EventRow, StreamState, held_by_other};
pub(crate) use task::{WriterMessage, WriterTask};
