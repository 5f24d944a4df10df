//! The loopback gateway through which agent CLIs reach their model.
//!
//! A [`Gateway`] serves on listeners that it is handed. [`Gateway::open`] takes a [`GatewayGrant`] (wire, upstream, key,
//! budget) and gives a [`Ticket`], whose token is all the CLI gets as its "API key". [`Ticket::close`] revokes it
//! and tells what was [`StepUsage`].
//!
//! ```no_run
//! use gemicro_llm::gateway::{AgentApi, Gateway, GatewayConfig, GatewayGrant, GatewaySecret, ModelRules, UpstreamAddress};
//!
//! # async fn step() -> Result<(), Box<dyn std::error::Error>> {
//! let gateway = Gateway::new(GatewayConfig::default());
//! let serving = gateway.serve(std::net::TcpListener::bind("127.0.0.1:0")?)?;
//! let ticket = gateway.open(GatewayGrant {
//!     label: "implement".to_owned(),
//!     wire: AgentApi::Anthropic,
//!     upstream: UpstreamAddress::new("https://api.anthropic.com")?,
//!     key: Some(GatewaySecret::new("the real key")),
//!     budget: "200k".parse()?,
//!     models: ModelRules::default(),
//!     web: false,
//!     observer: None,
//!     tool: None,
//! })?;
//! // Run the CLI with ANTHROPIC_BASE_URL = serving.url() and ANTHROPIC_API_KEY = ticket.token().
//! let spent = ticket.close().await;
//! # drop((serving, spent));
//! # Ok(())
//! # }
//! ```
//!
//! # Theory of operation
//!
//! One request goes one way, file by file: `serving` (connections) → `exchange` (the order of all that follows)
//! → `admit` (host, path, token) → `intake` (the body, bounded) → `prepare` (with `wire`: what is asked for, `bound`:
//! what it can cost at most, `account`: reserve it or refuse) → `answer` (with `upstream`: send, with the key) →
//! `pump` (the answer, piece by piece) → `reader` (its usage) → `account` (settle). What is asked of upstream is built from what was understood;
//! nothing of the request's path, parameters or headers is passed on unless a rule names it.
//!
//! A grant can also carry a [`ServedTool`]: a tool of ours outside the sandbox, served as MCP at [`TOOL_PATH`] to whoever
//! shows the token (`tool`). Such a request goes no further than `intake`.
//!
//! # What holds
//!
//! - Nothing is sent upstream that was not reserved. What is charged never passes the budget; what a provider
//!   reports above that is told apart, as [`StepUsage::overrun`].
//! - A request whose end is unknown (cut, hung, client gone, ticket closed) is charged its whole reservation.
//! - The key stands in no answer, note, log or `Debug` text.
//! - No request makes the provider contact a server that it names (web fetch, MCP servers, files at an address),
//!   unless the grant says `web`. Web searches are allowed.
//! - Memory does not grow with an answer, nor with what clients do.
//!
//! # Models that the table does not know
//!
//! Under a money budget an unknown or unpriced model is refused. Under other budgets it is let through: its
//! window counts as 2 Mi tokens where the body does not bound the input; a request that states no output limit
//! gets one of 32,768 tokens (or what fits) written in.
//!
//! # Not counted
//!
//! Fees per call of a provider's own tools (a web search) are in no price table here. A request that offers such a
//! tool reserves the model's whole window, since nobody here sees what the tool reads: a CLI that is to live within
//! a small budget should not offer any (Codex does unless told `web_search = "disabled"`).

mod account;
mod admit;
mod answer;
mod bound;
mod config;
mod exchange;
#[expect(clippy::module_inception, reason = "the file has the name of its type")]
mod gateway;
mod grant;
mod intake;
mod json;
mod key_forms;
mod mask;
mod note;
mod prepare;
mod problem;
mod pump;
mod quota;
mod reader;
mod reservation;
mod secret;
mod serving;
mod ticket;
mod tool;
mod upstream;
mod wire;

pub use config::GatewayConfig;
pub use gateway::Gateway;
pub use grant::{GatewayGrant, GrantAccess, ModelRules, UpstreamAddress};
pub use note::{GatewayNote, NoteKind, Observer};
pub use quota::{ProviderQuota, QuotaKind};
pub use secret::GatewaySecret;
pub use serving::GatewayServer;
pub use ticket::{RefusedRequest, RefusedWhy, StepUsage, Ticket};
pub use tool::{ServedTool, TOOL_PATH};
pub use wire::AgentApi;
