//! The calls that a rule can match, and their APIs.

use serde::{Deserialize, Serialize};

use super::fault::EnvelopeKind;

/// The model APIs that the simulator answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SimulatedApi {
    /// Gemini: Interactions and generateContent.
    Gemini,
    /// OpenAI: chat completions and Responses.
    #[serde(rename = "openai")]
    OpenAi,
    /// The Messages API of Anthropic.
    Anthropic,
}

/// The calls that a rule can match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScenarioEndpoint {
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
    /// `POST /v1/responses` of the OpenAI API, streaming or not.
    Responses,
    /// `GET /v1/models` and `GET /v1/models/{model}` of the OpenAI API.
    #[serde(rename = "openai_models")]
    OpenAiModels,
    /// `POST /v1/messages` of the Anthropic API, streaming or not.
    Messages,
    /// `POST /v1/messages/count_tokens` of the Anthropic API.
    CountMessageTokens,
    /// `GET /v1/models` and `GET /v1/models/{model}` of the Anthropic API.
    AnthropicModels,
}

impl ScenarioEndpoint {
    /// Whether the call generates an answer. A rule without `endpoint` matches these calls.
    pub fn generates(self) -> bool {
        match self {
            Self::Interactions
            | Self::GenerateContent
            | Self::StreamGenerateContent
            | Self::ChatCompletions
            | Self::Responses
            | Self::Messages => true,
            Self::GetInteraction
            | Self::CancelInteraction
            | Self::DeleteInteraction
            | Self::CountTokens
            | Self::Models
            | Self::OpenAiModels
            | Self::CountMessageTokens
            | Self::AnthropicModels => false,
        }
    }

    /// The format of its errors.
    pub fn envelope(self) -> EnvelopeKind {
        match self {
            Self::Interactions | Self::GetInteraction | Self::CancelInteraction | Self::DeleteInteraction => {
                EnvelopeKind::Interactions
            }
            Self::GenerateContent | Self::StreamGenerateContent | Self::CountTokens | Self::Models => {
                EnvelopeKind::Rpc
            }
            Self::ChatCompletions | Self::Responses | Self::OpenAiModels => EnvelopeKind::OpenAi,
            Self::Messages | Self::CountMessageTokens | Self::AnthropicModels => EnvelopeKind::Anthropic,
        }
    }

    /// The API that it belongs to.
    pub fn api(self) -> SimulatedApi {
        match self.envelope() {
            EnvelopeKind::Interactions | EnvelopeKind::Rpc => SimulatedApi::Gemini,
            EnvelopeKind::OpenAi => SimulatedApi::OpenAi,
            EnvelopeKind::Anthropic => SimulatedApi::Anthropic,
        }
    }
}
