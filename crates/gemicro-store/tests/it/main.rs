//! Tests of the store from outside: the contract that every engine keeps, and what is SQLite's own.
#![expect(
    clippy::unwrap_used,
    reason = "a test fails by panicking, also in its helpers"
)]

mod contract;
mod durable;
mod make;
mod postgres;
mod queue;
mod server;
mod sqlite;
