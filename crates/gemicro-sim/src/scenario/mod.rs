//! Scenario files: the simulator's answers and faults for each kind of request.
//!
//! [`Scenario`] is the parsed file, an ordered list of [`ScenarioRule`]s. Parsing checks everything that can be
//! checked without a request, so an error always names a line and a column. Nothing here does I/O except
//! [`Scenario::load`].

mod builtin;
mod condition;
mod endpoint;
mod error;
mod fault;
mod file;
mod glob;
mod knowledge;
mod one_or_many;
mod reply;
mod rule;
mod template;
pub(crate) mod yaml;

pub use builtin::BUILTIN;
pub use condition::Condition;
pub use endpoint::{ScenarioEndpoint, SimulatedApi};
pub use error::ScenarioError;
pub use fault::{
    Announce, AnswerFault, ConnectionCut, DailyQuota, EnvelopeKind, ErrorStatus, Fault, Hang, HtmlPage,
    HttpFault, MaxTokens, RateLimit, Safety, SafetyStage, StreamError,
};
pub use file::{DefaultReply, Scenario};
pub use glob::Glob;
pub use knowledge::{GoldSentence, Knowledge, KnownQuestion};
pub use reply::{
    CallReply, Chunks, Delay, Persona, RawChunk, RawReply, ReplyGate, ScriptedReply, SearchReply, UsageReply,
};
pub use rule::{RuleAction, ScenarioRule};
pub use template::{CitedSpan, MarkedText, TextTemplate};
pub(crate) use template::{after_label, fill_json};
