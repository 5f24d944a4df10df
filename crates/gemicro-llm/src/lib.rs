//! Model APIs behind the backend port of `gemicro-core`.
//!
//! [`GeminiBackend`] uses the Gemini Interactions API; [`rest`] queries the same service for models and
//! tokens. [`OpenAiBackend`] uses the OpenAI chat API, which local servers also provide. [`gateway`] is the loopback
//! server through which agent CLIs reach their models.

pub mod gateway;
mod gemini;
mod http;
mod openai;
pub mod rest;

pub use gemini::{GeminiBackend, GeminiConfig};
pub use openai::{OpenAiBackend, OpenAiConfig};
