//! The Gemini Interactions API.
//!
//! A call goes one way: `create_body` writes the request, `endpoint` sends it, `events` reads what comes back,
//! `listener` and `whole_text` turn it into chunks, `end` judges how it ended. `call` is the map of the ways a
//! call can take: in one piece, in the background, taken up by its handle; `follow` is the way of streams.
//! Everything that says no is in `refusal` (what the service said) and `trouble` (what that means for us).
//!
//! No SDK: `create_body` writes and `wire` reads the few parts of the format that gemicro uses, bounded and leniently.

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
