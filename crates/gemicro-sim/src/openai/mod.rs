//! The OpenAI API under `v1`, as used by the service, local servers and others.
//!
//! `route` finds the call, `chat` and `responses` are its two formats, and `models` lists models.

mod chat;
mod models;
mod responses;
mod route;

pub(crate) use responses::ResponseStore;
pub(crate) use route::{OpenAiRoute, answer, describe};
