//! What is PostgreSQL's own: connecting, the tables, and hearing of other processes' writes.
//!
//! Everything lies in the schema `gemicro` of the database that the address names. Several processes on several
//! machines may use it at once; leases are judged by the server's clock.

mod connect;
mod listen;
mod schema;

pub(crate) use listen::ListeningServer;
pub(crate) use schema::FORMAT;
