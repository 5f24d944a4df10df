//! The Anthropic API: Messages, token counting, models. All under `v1`.
//!
//! `route` finds the call, `request` reads it, `check` and `blocks` reject what the service rejects, `messages`
//! answers, `response` formats the answer, and `models` lists models.

mod blocks;
mod check;
mod messages;
mod models;
mod request;
mod response;
mod route;

pub(crate) use route::{AnthropicRoute, answer, describe};
