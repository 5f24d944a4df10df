//! The engine over a real store, real files and real processes.

mod agent;
mod batches;
mod cancel;
mod chat;
mod child;
mod conversations;
mod cut_streams;
mod kill;
mod kill_streams;
mod memory;
mod parked;
mod runs;
#[path = "../../../gemicro-store/tests/it/server.rs"]
#[expect(
    dead_code,
    clippy::unwrap_used,
    reason = "the tests of the store need more of it, and stop where they cannot go on"
)]
mod server;
mod simulated;
mod support;
mod takeover;
