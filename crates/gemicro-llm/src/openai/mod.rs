//! Servers that speak the OpenAI chat API: Ollama, llama.cpp, vLLM, and providers that copy it.
//!
//! One call goes this way: `backend` takes it, `body` writes it, `call` sends it (and once more where a server
//! refuses a field that it need not know), `bytes` reads what comes within bounds, `answer` turns each piece into
//! chunks, `think` takes thoughts out of the text, `tool_calls` puts function calls together. What fails is a `trouble`, an HTTP error a `refusal`.

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
