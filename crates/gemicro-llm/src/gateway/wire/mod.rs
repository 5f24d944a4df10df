//! What the gateway knows of each API. One file per wire, one per dialect where a wire has several.
//!
//! [`WireRules`] is a wire: its paths, where the key goes, how an error looks. [`WireDialect`] is one way to ask for
//! text on it: what a request asks for, and how the answer reports what it used.

mod anthropic;
mod chat;
mod gemini;
mod interactions;
mod openai;
mod request_contents;
mod responses;
mod rules;
#[cfg(test)]
mod tests;

pub use rules::AgentApi;

pub(super) use request_contents::{RequestContents, ask};
pub(super) use rules::{AnswerFacts, GatewayRoute, ReportedUsage, WireDialect, WireRules, WireTask};
