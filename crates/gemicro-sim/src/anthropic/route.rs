//! Maps method and path to a call.

use std::sync::Arc;

use axum::http::Method;
use axum::response::Response;

use super::{messages, models, request};
use crate::call::ModelCall;
use crate::scenario::ScenarioEndpoint;
use crate::server::{IncomingRequest, ServerWorld, SimulatedRefusal};

/// One call of the API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AnthropicRoute {
    Messages,
    CountTokens,
    ListModels,
    GetModel(String),
}

impl AnthropicRoute {
    /// Returns the call, unless it belongs to another API. Other APIs also have models under `v1`, so the headers
    /// decide.
    pub(crate) fn of(incoming: &IncomingRequest) -> Option<Self> {
        let path = incoming.path.trim_matches('/').strip_prefix("v1/")?;
        let is_post = incoming.method == Method::POST;
        let is_list = incoming.method == Method::GET && incoming.is_of_anthropic();
        match path.split_once('/').unwrap_or((path, "")) {
            ("messages", "") if is_post => Some(Self::Messages),
            ("messages", "count_tokens") if is_post => Some(Self::CountTokens),
            ("models", "") if is_list => Some(Self::ListModels),
            ("models", id) if is_list => Some(Self::GetModel(id.to_owned())),
            _ => None,
        }
    }

    pub(crate) fn endpoint(&self) -> ScenarioEndpoint {
        match self {
            Self::Messages => ScenarioEndpoint::Messages,
            Self::CountTokens => ScenarioEndpoint::CountMessageTokens,
            Self::ListModels | Self::GetModel(_) => ScenarioEndpoint::AnthropicModels,
        }
    }
}

/// Answers a call of the API.
pub(crate) async fn answer(
    world: &Arc<ServerWorld>,
    incoming: &IncomingRequest,
    route: &AnthropicRoute,
) -> Result<Response, SimulatedRefusal> {
    match incoming.key() {
        None => return Err(SimulatedRefusal::new(401, "x-api-key header is required")),
        Some("invalid") => return Err(SimulatedRefusal::new(401, "invalid x-api-key")),
        Some(_) => {}
    }
    if incoming.header("anthropic-version").is_none() {
        return Err(SimulatedRefusal::invalid("anthropic-version: header is required"));
    }
    match route {
        AnthropicRoute::Messages => messages::create(world, incoming).await,
        AnthropicRoute::CountTokens => messages::count(world, incoming).await,
        AnthropicRoute::ListModels => models::list(world, incoming).await,
        AnthropicRoute::GetModel(id) => models::get(world, incoming, id).await,
    }
}

/// Describes the call in neutral terms, without checking it. Recordings are matched by this.
pub(crate) fn describe(incoming: &IncomingRequest, route: &AnthropicRoute) -> ModelCall {
    let headers = incoming.header_names();
    match route {
        AnthropicRoute::Messages | AnthropicRoute::CountTokens => {
            request::call(route.endpoint(), &incoming.json().unwrap_or_default(), headers)
        }
        AnthropicRoute::ListModels => ModelCall::empty(route.endpoint(), headers),
        AnthropicRoute::GetModel(id) => {
            let mut call = ModelCall::empty(route.endpoint(), headers);
            call.model.clone_from(id);
            call
        }
    }
}
