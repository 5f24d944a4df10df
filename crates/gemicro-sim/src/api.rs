//! The simulated APIs, and how a request is assigned to one.

use std::sync::Arc;

use axum::response::Response;

use crate::call::ModelCall;
use crate::scenario::EnvelopeKind;
use crate::server::{IncomingRequest, ServerWorld, SimulatedRefusal};
use crate::{anthropic, gemini, openai};

/// One call of one API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ApiRoute {
    Gemini(gemini::GeminiRoute),
    OpenAi(openai::OpenAiRoute),
    Anthropic(anthropic::AnthropicRoute),
}

impl ApiRoute {
    /// Finds the call. Unknown calls are refused as by Gemini.
    pub(crate) fn of(incoming: &IncomingRequest) -> Result<Self, SimulatedRefusal> {
        if let Some(route) = anthropic::AnthropicRoute::of(incoming) {
            return Ok(Self::Anthropic(route));
        }
        match openai::OpenAiRoute::of(incoming) {
            Some(route) => Ok(Self::OpenAi(route)),
            None => gemini::GeminiRoute::of(incoming).map(Self::Gemini),
        }
    }

    /// Returns the error format for an unknown request: that of the client's API, if it can be recognised.
    pub(crate) fn envelope_of_unknown(incoming: &IncomingRequest) -> EnvelopeKind {
        let path = incoming.path.trim_matches('/');
        if incoming.is_of_anthropic() || path.starts_with("v1/messages") {
            EnvelopeKind::Anthropic
        } else if path.starts_with("v1/responses") || path.starts_with("v1/chat/") {
            EnvelopeKind::OpenAi
        } else {
            EnvelopeKind::Rpc
        }
    }

    /// Returns the format of its errors.
    pub(crate) fn envelope(&self) -> EnvelopeKind {
        match self {
            Self::Gemini(route) => route.endpoint().envelope(),
            Self::OpenAi(route) => route.endpoint().envelope(),
            Self::Anthropic(route) => route.endpoint().envelope(),
        }
    }

    pub(crate) async fn answer(
        self,
        world: &Arc<ServerWorld>,
        incoming: &IncomingRequest,
    ) -> Result<Response, SimulatedRefusal> {
        match self {
            Self::Gemini(route) => gemini::answer(world, incoming, route).await,
            Self::OpenAi(route) => openai::answer(world, incoming, &route).await,
            Self::Anthropic(route) => anthropic::answer(world, incoming, &route).await,
        }
    }

    /// Describes the call in neutral terms, without checking it. Recordings are matched by this.
    pub(crate) fn describe(&self, incoming: &IncomingRequest) -> ModelCall {
        match self {
            Self::Gemini(route) => gemini::describe(incoming, route),
            Self::OpenAi(route) => openai::describe(incoming, route),
            Self::Anthropic(route) => anthropic::describe(incoming, route),
        }
    }
}
