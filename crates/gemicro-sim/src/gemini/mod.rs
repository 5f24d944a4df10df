//! The Gemini API: Interactions, generateContent, models. `v1` and `v1beta`.
//!
//! `route` finds the call, `interactions` and `content` are its two formats, and `models` is the table of models.

mod content;
mod interactions;
mod models;
mod route;

pub(crate) use interactions::InteractionStore;
pub(crate) use models::SimulatedModels;
pub(crate) use route::{GeminiRoute, answer, describe};
