//! The OpenAI API as the service, local servers and others speak it, under `v1`.
//!
//! `route` finds the call; `chat` and `responses` are its two dialects; `models` lists.

mod chat;
mod models;
mod responses;
mod route;

pub(crate) use responses::ResponseStore;
pub(crate) use route::{OpenAiRoute, answer, describe};
