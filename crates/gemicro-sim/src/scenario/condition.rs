//! `when`: the requests that a rule applies to.

use serde::{Deserialize, Serialize};

use super::endpoint::{ScenarioEndpoint, SimulatedApi};
use super::glob::Glob;
use super::one_or_many;
use crate::call::ModelCall;

/// Conditions of a rule; all given ones must be met.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Condition {
    /// One API or a list, for rules about a single agent CLI.
    #[serde(
        deserialize_with = "one_or_many::deserialize",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub api: Vec<SimulatedApi>,
    /// One endpoint or a list; by default all calls that generate.
    #[serde(
        deserialize_with = "one_or_many::deserialize",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub endpoint: Vec<ScenarioEndpoint>,
    /// Pattern for the model or agent id, without `models/`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<Glob>,
    /// Pattern for the newest turn's whole text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<Glob>,
    /// The exact text of the newest turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_is: Option<String>,
    /// Texts that the newest turn must contain, all of them.
    #[serde(
        deserialize_with = "one_or_many::deserialize",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub prompt_contains: Vec<String>,
    /// Texts that the system instruction must contain, all of them.
    #[serde(
        deserialize_with = "one_or_many::deserialize",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub system_contains: Vec<String>,
    /// Texts that the turns before the newest one must contain, all of them.
    #[serde(
        deserialize_with = "one_or_many::deserialize",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub history_contains: Vec<String>,
    /// Pattern for the name of a tool whose result is in the newest turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_result: Option<Glob>,
    /// Texts that this result must contain, all of them.
    #[serde(
        deserialize_with = "one_or_many::deserialize",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub tool_result_contains: Vec<String>,
    /// Pattern for the name of a tool offered to the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_offered: Option<Glob>,
    /// A header that must be present.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub header: Option<String>,
    /// Whether streaming was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stream: Option<bool>,
    /// Whether it runs in the background.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub background: Option<bool>,
    /// Whether it continues an earlier interaction or response, or contains an earlier answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chained: Option<bool>,
    /// Pattern for the interaction id of get, cancel and delete.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interaction: Option<Glob>,
}

impl Condition {
    pub(crate) fn holds(&self, call: &ModelCall) -> bool {
        let endpoint = if self.endpoint.is_empty() {
            call.endpoint.generates()
        } else {
            self.endpoint.contains(&call.endpoint)
        };
        let is = |wanted: Option<bool>, found: bool| wanted.is_none_or(|wanted| wanted == found);
        let fits = |glob: &Option<Glob>, text: &str| glob.as_ref().is_none_or(|glob| glob.matches(text));
        endpoint
            && (self.api.is_empty() || self.api.contains(&call.endpoint.api()))
            && fits(&self.model, &call.model)
            && fits(&self.prompt, &call.prompt)
            && fits(&self.interaction, &call.interaction)
            && self.prompt_is.as_ref().is_none_or(|text| *text == call.prompt)
            && self.prompt_contains.iter().all(|text| call.prompt.contains(text))
            && self.system_contains.iter().all(|text| call.system.contains(text))
            && self
                .history_contains
                .iter()
                .all(|text| call.history.contains(text))
            && self.tool_result_holds(call)
            && self
                .tool_offered
                .as_ref()
                .is_none_or(|glob| call.tools.iter().any(|name| glob.matches(name)))
            && self
                .header
                .as_ref()
                .is_none_or(|name| call.headers.iter().any(|found| found.eq_ignore_ascii_case(name)))
            && is(self.stream, call.stream)
            && is(self.background, call.background)
            && is(self.chained, call.chained)
    }

    /// Returns true if one result has both the name and the texts.
    fn tool_result_holds(&self, call: &ModelCall) -> bool {
        if self.tool_result.is_none() && self.tool_result_contains.is_empty() {
            return true;
        }
        call.results.iter().any(|result| {
            self.tool_result
                .as_ref()
                .is_none_or(|glob| glob.matches(&result.tool))
                && self
                    .tool_result_contains
                    .iter()
                    .all(|text| result.text.contains(text))
        })
    }
}
