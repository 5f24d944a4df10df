//! The pure core of gemicro: flows that decide, steps as data, budgets, research, and the ports for all effects.
//!
//! Start at [`flow`] (decisions), then [`mod@drive`] (the loop around them) and [`store`] (where events go). This crate
//! starts no process, opens no file or socket and knows no terminal.

pub mod agent;
pub mod ask;
pub mod blob;
pub mod budget;
pub mod command;
pub mod config;
pub mod corpus;
pub mod drive;
pub mod error;
pub mod execute;
pub mod flow;
pub mod history;
pub mod live;
pub mod llm;
pub mod models;
pub mod offline;
pub mod prompt;
pub mod queue;
pub mod research;
pub mod run;
pub mod store;
pub mod template;
pub mod tokens;
pub mod update;

pub use agent::{Agent, AgentContext, DeepResearchAgent};
pub use config::{GemicroConfig, LlmConfig, MODEL, ResearchConfig};
pub use error::{AgentError, GemicroError, LlmError};
pub use llm::{LlmClient, LlmRequest, LlmResponse};
pub use update::{AgentUpdate, ResultMetadata};
