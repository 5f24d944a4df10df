//! The HTTP API: batches, runs, their events, and conversations, for programs on this machine or behind a token.
//!
//! [`serve`] answers requests over a [`HttpSetup`] until it is told to stop; [`client::BatchClient`] is the other side for
//! batches. Nothing here carries a run out, opens a store or reads a setting.
//!
//! # Theory of operation
//!
//! Connections, their time limits and the check of the token belong to `gemicro_listener`. A request that passes it has
//! its body read whole, within limits (`entrance`, `body_limit`); then the router has it. Routes are one file each in
//! `routes`; what they answer and the OpenAPI document come from the same macro (`document`). Every error leaves as
//! `{"error": {"kind", "message"}}` with the status of its kind (`trouble`).
//!
//! What changes something is carried out to its end, whether or not the caller waits (`calls`). What waits (a long
//! poll, a stream of events) has one of a limited number of places and ends when the server stops.

mod app;
mod body_limit;
mod calls;
pub mod client;
mod document;
mod entrance;
mod metrics;
mod parameters;
mod routes;
mod serving;
mod setup;
mod start_request;
mod start_words;
mod trouble;

pub use gemicro_listener::{ServerAccess, ServerReach};
pub use serving::serve;
pub use setup::{ConversationShelf, HttpSetup};
pub use start_request::{AskParameters, OodaParameters, StartPromptParameters, StartRequest};
pub use start_words::{AgentPromptKind, OodaKind, PromptKind, SandboxChoice};
pub use trouble::{ErrorBody, status_of};
