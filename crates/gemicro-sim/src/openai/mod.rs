//! The OpenAI API as local servers and others speak it: chat completions and models, under `v1`.
//!
//! `route` finds the call; `request` reads and checks it, `chat` answers it, `response` writes it; `models` lists.

mod chat;
mod models;
mod request;
mod response;
mod route;

pub(crate) use route::{Route, answer, describe};
