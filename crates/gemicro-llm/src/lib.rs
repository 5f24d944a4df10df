//! Model APIs behind the port of `gemicro-core`.
//!
//! [`GeminiBackend`] speaks the Gemini Interactions API; [`rest`] asks the same service about models and
//! tokens. [`OpenAiBackend`] speaks the chat API of OpenAI, as local servers do. [`gateway`] is the loopback
//! server through which agent CLIs reach their models.

pub mod gateway;
mod gemini;
mod http;
mod openai;
pub mod rest;

pub use gemini::{GeminiBackend, GeminiConfig};
pub use openai::{OpenAiBackend, OpenAiConfig};
