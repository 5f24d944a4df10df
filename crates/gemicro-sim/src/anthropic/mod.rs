//! The Anthropic API: Messages, counting their tokens, models. All under `v1`.
//!
//! `route` finds the call; `request` reads it and `check` refuses what the service refuses, `blocks` being the rules
//! about contents; `messages` answers it, `response` writes it; `models` lists.

mod blocks;
mod check;
mod messages;
mod models;
mod request;
mod response;
mod route;

pub(crate) use route::{AnthropicRoute, answer, describe};
