//! Maps method and path to a call.

use std::sync::Arc;

use axum::http::Method;
use axum::response::Response;

use super::{chat, models, responses};
use crate::call::ModelCall;
use crate::scenario::ScenarioEndpoint;
use crate::server::{IncomingRequest, ServerWorld, SimulatedRefusal};

/// One call of the API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum OpenAiRoute {
    ChatCompletions,
    Responses,
    ListModels,
    GetModel(String),
}

impl OpenAiRoute {
    /// Returns the call, unless it belongs to another API. Gemini also has models under `v1`; a Google-style key
    /// decides.
    pub(crate) fn of(incoming: &IncomingRequest) -> Option<Self> {
        let path = incoming.path.trim_matches('/').strip_prefix("v1/")?;
        let is_get = incoming.method == Method::GET;
        match path.split_once('/').unwrap_or((path, "")) {
            ("chat", "completions") if incoming.method == Method::POST => Some(Self::ChatCompletions),
            ("responses", "") if incoming.method == Method::POST => Some(Self::Responses),
            ("models", _) if incoming.has_google_key() || !is_get => None,
            ("models", "") => Some(Self::ListModels),
            // Ids may contain slashes.
            ("models", id) => Some(Self::GetModel(id.to_owned())),
            _ => None,
        }
    }

    pub(crate) fn endpoint(&self) -> ScenarioEndpoint {
        match self {
            Self::ChatCompletions => ScenarioEndpoint::ChatCompletions,
            Self::Responses => ScenarioEndpoint::Responses,
            Self::ListModels | Self::GetModel(_) => ScenarioEndpoint::OpenAiModels,
        }
    }
}

/// Answers a call of the API. Local servers need no key, so a missing key is accepted.
pub(crate) async fn answer(
    world: &Arc<ServerWorld>,
    incoming: &IncomingRequest,
    route: &OpenAiRoute,
) -> Result<Response, SimulatedRefusal> {
    if incoming.key() == Some("invalid") {
        return Err(SimulatedRefusal::incorrect_key());
    }
    match route {
        OpenAiRoute::ChatCompletions => chat::complete(world, incoming).await,
        OpenAiRoute::Responses => responses::create(world, incoming).await,
        OpenAiRoute::ListModels => models::list(world, incoming).await,
        OpenAiRoute::GetModel(id) => models::get(world, incoming, id).await,
    }
}

/// Describes the call in neutral terms, without checking it.
pub(crate) fn describe(incoming: &IncomingRequest, route: &OpenAiRoute) -> ModelCall {
    let headers = incoming.header_names();
    match route {
        OpenAiRoute::ChatCompletions => chat::call(&incoming.json().unwrap_or_default(), headers),
        OpenAiRoute::Responses => responses::call(&incoming.json().unwrap_or_default(), &[], headers),
        OpenAiRoute::ListModels => ModelCall::empty(ScenarioEndpoint::OpenAiModels, headers),
        OpenAiRoute::GetModel(id) => {
            let mut call = ModelCall::empty(ScenarioEndpoint::OpenAiModels, headers);
            call.model.clone_from(id);
            call
        }
    }
}
