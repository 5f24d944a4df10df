//! A request in neutral terms, for rules and answers.

use serde_json::Value;

use crate::scenario::ScenarioEndpoint;

/// A request, independent of its API.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ModelCall {
    pub(crate) endpoint: ScenarioEndpoint,
    /// Model or agent, without `models/`; empty if the call names none.
    pub(crate) model: String,
    /// Text of the newest turn.
    pub(crate) prompt: String,
    pub(crate) system: String,
    /// Text of all earlier turns, including tool calls and results.
    pub(crate) history: String,
    /// Names of the tools offered to the model.
    pub(crate) tools: Vec<String>,
    /// Tool results in the newest turn.
    pub(crate) results: Vec<SimToolResult>,
    /// Names of the headers, in lower case.
    pub(crate) headers: Vec<String>,
    pub(crate) stream: bool,
    pub(crate) background: bool,
    /// Whether it continues from an earlier answer.
    pub(crate) chained: bool,
    /// The interaction to get, cancel or delete.
    pub(crate) interaction: String,
    /// Required format of the answer.
    pub(crate) shape: AnswerShape,
    pub(crate) wants_thoughts: bool,
    pub(crate) max_output: Option<u64>,
    /// Number of input tokens, counted by [`crate::answer::tokens`].
    pub(crate) input_tokens: u64,
}

/// The result of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SimToolResult {
    /// Name of the tool; empty if the request does not give it.
    pub(crate) tool: String,
    pub(crate) text: String,
}

/// Format of an answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum AnswerShape {
    Text,
    Json,
    /// JSON that fits a schema.
    Schema(Value),
}

impl ModelCall {
    /// Creates a call without content, for endpoints that have none.
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
