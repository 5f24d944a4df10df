//! Functions that gemicro runs when a model calls them.

use gemicro_event::Json;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::tokens::byte_bound;

/// A function that a model may call and gemicro runs. An [`LlmTool`](super::LlmTool) is run by the provider instead.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LlmFunction {
    /// The name that calls use.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// Its arguments, as a JSON schema.
    pub parameters: Json,
}

impl LlmFunction {
    /// Maximum number of tokens of its declaration.
    pub(super) fn token_bound(&self) -> u64 {
        byte_bound(&self.name) + byte_bound(&self.description) + byte_bound(self.parameters.text())
    }
}

/// A call that a model made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FunctionCall {
    /// The provider's id of the call; its result has it too.
    pub id: String,
    /// Name of the function.
    pub name: String,
    /// The arguments as the model wrote them: JSON, unless the model made a mistake.
    pub arguments: String,
}

/// The result of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FunctionResult {
    /// The id of the call.
    pub call: String,
    /// Name of the function.
    pub name: String,
    /// The result, or the error.
    pub text: String,
    /// The call could not be carried out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
}

/// The calls of one answer, and their results.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionRound {
    /// Text that the model wrote besides its calls.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// The provider's id of the answer that made the calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interaction: Option<String>,
    /// The calls, in the model's order.
    pub calls: Vec<FunctionCall>,
    /// A result for each call.
    pub results: Vec<FunctionResult>,
}

impl FunctionRound {
    /// Maximum number of tokens that it adds to the next request. The model's own part is within its output limit.
    pub(super) fn token_bound(&self, max_output_tokens: u64) -> u64 {
        let calls = self
            .calls
            .iter()
            .map(|call| byte_bound(&call.name) + byte_bound(&call.arguments));
        let written = byte_bound(&self.text) + calls.sum::<u64>();
        let results = self
            .results
            .iter()
            .map(|result| byte_bound(&result.name) + byte_bound(&result.text));
        written.min(max_output_tokens) + results.sum::<u64>()
    }

    /// All texts in it, to count their tokens.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        let calls = self.calls.iter().map(|call| call.arguments.as_str());
        let results = self.results.iter().map(|result| result.text.as_str());
        std::iter::once(self.text.as_str()).chain(calls).chain(results)
    }
}
