//! The backend for servers with the OpenAI chat API: Ollama, llama.cpp, vLLM, and compatible providers.
//!
//! Flow of a call: `backend` takes it, `body` writes it, `call` sends it (and repeats it if a server refuses an
//! optional field), `bytes` reads the response within limits, `answer` turns it into chunks, `think` removes thoughts
//! from the text, `tool_calls` assembles function calls. Errors are in `trouble`, HTTP errors in `refusal`.

mod answer;
mod backend;
mod body;
mod bytes;
mod call;
mod config;
mod endpoint;
mod refusal;
mod think;
mod tool_calls;
mod trouble;

pub use backend::OpenAiBackend;
pub use config::OpenAiConfig;
