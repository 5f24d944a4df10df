//! The HTTP API: batches, runs, their events, and conversations, for programs with the server's token.
//!
//! [`serve`] answers requests with an [`HttpSetup`] until it is stopped; [`client::BatchClient`] is a client for
//! batches. Nothing here carries out runs, opens a store or reads settings.
//!
//! # Theory of operation
//!
//! `gemicro_listener` handles connections, their time limits and the token. The body of an authorised request is read
//! completely, within limits (`entrance`, `body_limit`), and then routed. Each route is one file in `routes`; answers
//! and the OpenAPI document come from the same macro (`document`). Every error is sent as
//! `{"error": {"kind", "message"}}` with the status of its kind (`trouble`).
//!
//! Requests that change something run to their end, even if the caller disconnects (`calls`). The number of waiting
//! requests (long polls, event streams) is limited, and they end when the server stops.

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
