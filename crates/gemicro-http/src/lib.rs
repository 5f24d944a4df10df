//! The HTTP API: batches, runs, their events, and conversations, for programs on this machine or behind a token.
//!
//! [`serve`] answers requests over a [`Setup`] until it is told to stop; [`client::Client`] is the other side for
//! batches. Nothing here carries a run out, opens a store or reads a setting.
//!
//! # Theory of operation
//!
//! A connection gets a place, an `entrance` and time limits (`serving`, `stalled_write`). A request passes the checks
//! of `gate` before anything of it is read; then its body is read whole, within limits; then the router has it. Routes
//! are one file each in `routes`; what they answer and the OpenAPI document come from the same macro (`document`).
//! Every error leaves as `{"error": {"kind", "message"}}` with the status of its kind (`trouble`).
//!
//! What changes something is carried out to its end, whether or not the caller waits (`calls`). What waits (a long
//! poll, a stream of events) has one of a limited number of places and ends when the server stops.

mod app;
mod calls;
pub mod client;
mod document;
mod entrance;
mod gate;
mod metrics;
mod parameters;
mod routes;
mod serving;
mod setup;
mod stalled_write;
mod trouble;

pub use gate::{Access, Reach};
pub use serving::serve;
pub use setup::{ConversationShelf, ResearchParameters, Setup};
pub use trouble::{ErrorBody, status_of};
