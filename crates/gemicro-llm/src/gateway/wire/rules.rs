//! What every wire and every dialect can say about itself.

use std::fmt;

use gemicro_event::Usage;
use hyper::Method;
use reqwest::header::{HeaderName, HeaderValue};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::RequestContents;
use super::anthropic::Anthropic;
use super::gemini::GeminiWire;
use super::openai::OpenAi;
use crate::gateway::json::{Leaf, Pick, WantedPaths};
use crate::gateway::problem::GatewayProblem;

/// The API that an agent CLI speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentApi {
    /// The Gemini API: `generateContent` and its family, and Interactions.
    Gemini,
    /// The Anthropic API: Messages.
    Anthropic,
    /// The OpenAI API: Responses and chat completions.
    #[serde(rename = "openai")]
    OpenAi,
}

impl AgentApi {
    /// What is known of it.
    pub(in crate::gateway) fn rules(self) -> &'static dyn WireRules {
        match self {
            Self::Gemini => &GeminiWire,
            Self::Anthropic => &Anthropic,
            Self::OpenAi => &OpenAi,
        }
    }
}

pub(in crate::gateway) trait WireRules: Sync {
    /// What a path means here; `None` for what is not served. The parts hold only plain characters.
    fn route(&self, method: &Method, path: &[&str]) -> Option<GatewayRoute>;

    /// The parameters that are passed on.
    fn query(&self) -> &'static [&'static str];

    /// Whether this request header is passed on; those that every wire needs are not asked for.
    fn passes(&self, header: &str) -> bool;

    /// The header that carries the key.
    fn key_header(&self) -> HeaderName;

    fn key_value(&self, key: &str) -> Option<HeaderValue>;

    /// An error of ours as this API would say it.
    fn error(&self, problem: &GatewayProblem) -> Value;
}

/// Where a request goes.
#[derive(Debug)]
pub(in crate::gateway) struct GatewayRoute {
    /// The path upstream, after the base.
    pub(in crate::gateway) path: Vec<String>,
    /// What is asked for.
    pub(in crate::gateway) task: WireTask,
}

/// What is asked for.
#[derive(Debug)]
pub(in crate::gateway) enum WireTask {
    /// Text, which costs tokens.
    Generate {
        dialect: &'static dyn WireDialect,
        /// Where the path names the model.
        model: Option<String>,
        /// What follows the model in its part of the path: `:generateContent`.
        verb: String,
    },
    /// Something that costs nothing: a list of models, the state of an interaction.
    Free,
    /// A count of the tokens of a request, which costs nothing.
    Count { dialect: &'static dyn WireDialect },
    /// A sign of life of ours.
    Ping,
    /// The tool of the grant, which never goes upstream.
    Tool,
}

impl GatewayRoute {
    /// The tool of the grant.
    pub(in crate::gateway) fn tool() -> Self {
        Self {
            path: Vec::new(),
            task: WireTask::Tool,
        }
    }

    /// A path that costs nothing.
    pub(super) fn free(path: &[&str]) -> Self {
        Self {
            path: path.iter().map(|&part| part.to_owned()).collect(),
            task: WireTask::Free,
        }
    }

    /// A path that counts tokens.
    pub(super) fn count(path: &[&str], dialect: &'static dyn WireDialect) -> Self {
        Self {
            task: WireTask::Count { dialect },
            ..Self::free(path)
        }
    }

    /// A path that asks for text, with the model in the body.
    pub(super) fn generate(path: &[&str], dialect: &'static dyn WireDialect) -> Self {
        Self {
            task: WireTask::Generate {
                dialect,
                model: None,
                verb: String::new(),
            },
            ..Self::free(path)
        }
    }
}

/// One way to ask for text.
pub(in crate::gateway) trait WireDialect: Sync + fmt::Debug {
    /// Spells a key so that those which the API takes for the same are the same.
    fn fold(&self) -> fn(&str) -> String {
        str::to_owned
    }

    /// Looks at one value of a request.
    fn look(&self, path: &[&str], leaf: Leaf<'_>, asked: &mut RequestContents);

    /// Whether this is data of a tool that the client runs: its schema, arguments or result. The provider opens no
    /// address in it.
    fn is_tool_data(&self, path: &[&str]) -> bool;

    /// The field that limits the output, where the request has none.
    fn limit_field(&self, model: &str) -> &'static [&'static str];

    /// Further fields to set: path and JSON. `limit` is the output limit that was written, if one was.
    fn edits(&self, _asked: &RequestContents, _limit: Option<u64>) -> Vec<(&'static [&'static str], String)> {
        Vec::new()
    }

    /// The values of an answer that tell usage and end.
    fn fact_paths(&self) -> WantedPaths;

    /// Reads what was found in one event, or in a whole answer.
    fn read_facts(&self, picks: &[Pick], seen: &mut AnswerFacts);
}

/// What an answer told about itself so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::gateway) struct AnswerFacts {
    /// The most that was reported.
    pub(in crate::gateway) reported: Option<ReportedUsage>,
    /// The model is done, but what it used may still follow.
    pub(in crate::gateway) ending: bool,
    /// What is reported is final.
    pub(in crate::gateway) finished: bool,
    /// The provider goes on working after this answer.
    pub(in crate::gateway) goes_on: bool,
}

/// Usage as a provider reported it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::gateway) struct ReportedUsage {
    pub(in crate::gateway) usage: Usage,
    /// What writing to a cache costs above plain input, in tokens of input.
    pub(in crate::gateway) surcharge: u64,
}

impl AnswerFacts {
    /// Adds the report that a value holds, if it holds one. Reports are running totals, so of each number the
    /// highest counts.
    ///
    /// A report in the event that ends the answer, or after it, is the final one.
    pub(super) fn hear(&mut self, pick: &Pick, read: fn(&Value) -> Option<ReportedUsage>) {
        let value: Option<Value> = serde_json::from_slice(&pick.json).ok();
        let next = value.filter(Value::is_object).as_ref().and_then(read);
        // Nothing at all is no report.
        let Some(next) = next.filter(|next| next.usage.total_tokens() > 0) else {
            return;
        };
        self.finished |= self.ending;
        let known = self.reported.unwrap_or_default();
        let (a, b) = (known.usage, next.usage);
        self.reported = Some(ReportedUsage {
            usage: Usage {
                input_tokens: a.input_tokens.max(b.input_tokens),
                output_tokens: a.output_tokens.max(b.output_tokens),
                cached_tokens: a.cached_tokens.max(b.cached_tokens),
                thought_tokens: a.thought_tokens.max(b.thought_tokens),
                tool_tokens: a.tool_tokens.max(b.tool_tokens),
                estimated: false,
            },
            surcharge: known.surcharge.max(next.surcharge),
        });
    }
}

/// A number that a usage object must have.
pub(super) fn required_number(usage: &Value, path: &str) -> Option<u64> {
    usage.pointer(path)?.as_u64()
}

/// A number of a usage object: absent and null are none used, anything else that is no count is no report.
pub(super) fn count(usage: &Value, path: &str) -> Option<u64> {
    match usage.pointer(path) {
        None | Some(Value::Null) => Some(0),
        Some(value) => value.as_u64(),
    }
}
