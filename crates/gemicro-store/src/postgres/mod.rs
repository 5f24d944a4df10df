//! PostgreSQL-specific code: connecting, the tables, and notifications of other processes' writes.
//!
//! Everything is in the schema `gemicro` of the given database. Several processes on several machines may use it at
//! once; leases are checked against the server's clock.

mod connect;
mod listen;
mod schema;

pub(crate) use listen::ListeningServer;
pub(crate) use schema::FORMAT;
