//! The server over pipes, with a desk whose runs follow a script.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops where it is")]

mod agents;
mod bad_input;
mod batches;
mod client;
mod desk;
mod http;
mod long_calls;
mod prompts;
mod research;
mod runs;
mod script;
mod tasks;
