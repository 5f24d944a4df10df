//! The backend for the Gemini Interactions API.
//!
//! Flow of a call: `create_body` writes the request, `endpoint` sends it, `events` reads the response,
//! `listener` and `whole_text` turn it into chunks, and `end` decides how it ended. `call` chooses the kind of call:
//! buffered, in the background, or resumed by its handle; `follow` handles streams.
//! Errors are in `refusal` (the response of the service) and `trouble` (its meaning for gemicro).
//!
//! No SDK is used: `create_body` writes and `wire` leniently reads the few parts of the format that gemicro needs.

mod answer;
mod backend;
mod call;
mod citation;
mod config;
mod create_body;
mod end;
mod endpoint;
mod events;
mod follow;
mod interaction;
mod listener;
mod problem;
mod refusal;
mod trouble;
mod whole_text;
mod wire;

pub use backend::GeminiBackend;
pub(crate) use backend::redact_failure;
pub use config::GeminiConfig;
pub(crate) use endpoint::{EndpointRequest, GeminiEndpoint};
pub(crate) use trouble::RequestSubject;
