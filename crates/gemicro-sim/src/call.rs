//! One request in neutral terms: what rules look at and answers are made from.

use serde_json::Value;

use crate::scenario::ScenarioEndpoint;

/// What a request asks for, whichever API it came through.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ModelCall {
    pub(crate) endpoint: ScenarioEndpoint,
    /// Model or agent, without `models/`; empty where the call names none.
    pub(crate) model: String,
    /// The text of the newest turn.
    pub(crate) prompt: String,
    pub(crate) system: String,
    /// The texts of all turns before the newest, calls and results of tools included.
    pub(crate) history: String,
    /// Names of the tools that the model is offered.
    pub(crate) tools: Vec<String>,
    /// Results of tools in the newest turn.
    pub(crate) results: Vec<SimToolResult>,
    /// Names of the headers, in lower case.
    pub(crate) headers: Vec<String>,
    pub(crate) stream: bool,
    pub(crate) background: bool,
    /// Whether it goes on from an earlier answer.
    pub(crate) chained: bool,
    /// The interaction that get, cancel and delete are about.
    pub(crate) interaction: String,
    /// What shape the answer must have.
    pub(crate) shape: AnswerShape,
    pub(crate) wants_thoughts: bool,
    pub(crate) max_output: Option<u64>,
    /// Tokens of everything the model reads, by [`crate::answer::tokens`].
    pub(crate) input_tokens: u64,
}

/// What a tool said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SimToolResult {
    /// The tool; empty where the request does not tell.
    pub(crate) tool: String,
    pub(crate) text: String,
}

/// The shape of an answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum AnswerShape {
    Text,
    Json,
    /// JSON that fits a schema.
    Schema(Value),
}

impl ModelCall {
    /// A call without content, for endpoints that have none.
    pub(crate) fn empty(endpoint: ScenarioEndpoint, headers: Vec<String>) -> Self {
        Self {
            endpoint,
            model: String::new(),
            prompt: String::new(),
            system: String::new(),
            history: String::new(),
            tools: Vec::new(),
            results: Vec::new(),
            headers,
            stream: false,
            background: false,
            chained: false,
            interaction: String::new(),
            shape: AnswerShape::Text,
            wants_thoughts: false,
            max_output: None,
            input_tokens: 0,
        }
    }

    #[cfg(test)]
    pub(crate) fn example() -> Self {
        Self::empty(ScenarioEndpoint::Interactions, Vec::new())
    }
}
