//! A real server on loopback: over a real engine where runs matter, over an empty desk where only the server does.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops where it is")]

mod batches;
mod client;
mod conversations;
mod document;
mod empty_desk;
mod limits;
mod requests;
mod run_life;
mod runs;
mod server;
mod shutdown;
