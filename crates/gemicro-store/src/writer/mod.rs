//! The writer: one task per process that commits all changes.
//!
//! Theory of operation: callers send [`WriteRequest`]s; the writer takes all that wait, checks each against the
//! [`StreamState`]s in memory ([`state`]), writes the changes of the accepted ones in a few statements
//! ([`flush`]), commits once and answers all callers ([`task`]). A refused request changes nothing. The states
//! stay valid while SQLite's `data_version` shows that no other process has committed; on PostgreSQL, where others
//! write at the same time, they are reloaded and locked in each transaction ([`load`]). Rarer work is a
//! [`Job`]: its own transaction, on SQLite on the same connection.

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
