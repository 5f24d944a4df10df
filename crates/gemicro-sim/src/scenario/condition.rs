//! `when`: which requests a rule is for.

use serde::{Deserialize, Serialize};

use super::fault::EnvelopeKind;
use super::glob::Glob;
use super::one_or_many;
use crate::call::Call;

/// The calls that a rule can speak about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Endpoint {
    /// `POST …/interactions`.
    Interactions,
    /// `GET …/interactions/{id}`, streaming or not.
    GetInteraction,
    /// `POST …/interactions/{id}/cancel`.
    CancelInteraction,
    /// `DELETE …/interactions/{id}`.
    DeleteInteraction,
    /// `POST …/models/{model}:generateContent`.
    GenerateContent,
    /// `POST …/models/{model}:streamGenerateContent`.
    StreamGenerateContent,
    /// `POST …/models/{model}:countTokens`.
    CountTokens,
    /// `GET …/models` and `GET …/models/{model}`.
    Models,
    /// `POST /v1/chat/completions` of the OpenAI API, streaming or not.
    ChatCompletions,
    /// `GET /v1/models` and `GET /v1/models/{model}` of the OpenAI API.
    #[serde(rename = "openai_models")]
    OpenAiModels,
}

impl Endpoint {
    /// Whether the call makes the model speak: what a rule without `endpoint` is for.
    pub fn generates(self) -> bool {
        match self {
            Self::Interactions
            | Self::GenerateContent
            | Self::StreamGenerateContent
            | Self::ChatCompletions => true,
            Self::GetInteraction
            | Self::CancelInteraction
            | Self::DeleteInteraction
            | Self::CountTokens
            | Self::Models
            | Self::OpenAiModels => false,
        }
    }

    /// The shape of its errors.
    pub fn envelope(self) -> EnvelopeKind {
        match self {
            Self::Interactions | Self::GetInteraction | Self::CancelInteraction | Self::DeleteInteraction => {
                EnvelopeKind::Interactions
            }
            Self::GenerateContent | Self::StreamGenerateContent | Self::CountTokens | Self::Models => {
                EnvelopeKind::Rpc
            }
            Self::ChatCompletions | Self::OpenAiModels => EnvelopeKind::OpenAi,
        }
    }
}

/// All given conditions must hold.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Condition {
    /// One endpoint or a list. Without it: every call that makes the model speak.
    #[serde(
        deserialize_with = "one_or_many::deserialize",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub endpoint: Vec<Endpoint>,
    /// Pattern for the model or agent id, without `models/`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<Glob>,
    /// Pattern for the newest turn's whole text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<Glob>,
    /// The newest turn's whole text.
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
    /// A header that must be there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub header: Option<String>,
    /// Whether a stream was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stream: Option<bool>,
    /// Whether it runs in the background.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub background: Option<bool>,
    /// Whether it goes on from an earlier interaction, or a chat holds an earlier answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chained: Option<bool>,
    /// Pattern for the interaction id of get, cancel, delete.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interaction: Option<Glob>,
}

impl Condition {
    pub(crate) fn holds(&self, call: &Call) -> bool {
        let endpoint = if self.endpoint.is_empty() {
            call.endpoint.generates()
        } else {
            self.endpoint.contains(&call.endpoint)
        };
        let is = |wanted: Option<bool>, found: bool| wanted.is_none_or(|wanted| wanted == found);
        let fits = |glob: &Option<Glob>, text: &str| glob.as_ref().is_none_or(|glob| glob.matches(text));
        endpoint
            && fits(&self.model, &call.model)
            && fits(&self.prompt, &call.prompt)
            && fits(&self.interaction, &call.interaction)
            && self.prompt_is.as_ref().is_none_or(|text| *text == call.prompt)
            && self.prompt_contains.iter().all(|text| call.prompt.contains(text))
            && self.system_contains.iter().all(|text| call.system.contains(text))
            && self
                .header
                .as_ref()
                .is_none_or(|name| call.headers.iter().any(|found| found.eq_ignore_ascii_case(name)))
            && is(self.stream, call.stream)
            && is(self.background, call.background)
            && is(self.chained, call.chained)
    }
}
