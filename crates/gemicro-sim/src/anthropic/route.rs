//! From method and path to the call that is meant.

use std::sync::Arc;

use axum::http::Method;
use axum::response::Response;

use super::{messages, models, request};
use crate::call::Call;
use crate::scenario::Endpoint;
use crate::server::{Incoming, Refusal, World};

/// One call of the API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Route {
    Messages,
    CountTokens,
    ListModels,
    GetModel(String),
}

impl Route {
    /// The call, unless it is one of another API. Others have models under `v1` too: the headers tell.
    pub(crate) fn of(incoming: &Incoming) -> Option<Self> {
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

    pub(crate) fn endpoint(&self) -> Endpoint {
        match self {
            Self::Messages => Endpoint::Messages,
            Self::CountTokens => Endpoint::CountMessageTokens,
            Self::ListModels | Self::GetModel(_) => Endpoint::AnthropicModels,
        }
    }
}

/// Answers a call of the API.
pub(crate) async fn answer(
    world: &Arc<World>,
    incoming: &Incoming,
    route: &Route,
) -> Result<Response, Refusal> {
    match incoming.key() {
        None => return Err(Refusal::new(401, "x-api-key header is required")),
        Some("invalid") => return Err(Refusal::new(401, "invalid x-api-key")),
        Some(_) => {}
    }
    if incoming.header("anthropic-version").is_none() {
        return Err(Refusal::invalid("anthropic-version: header is required"));
    }
    match route {
        Route::Messages => messages::create(world, incoming).await,
        Route::CountTokens => messages::count(world, incoming).await,
        Route::ListModels => models::list(world, incoming).await,
        Route::GetModel(id) => models::get(world, incoming, id).await,
    }
}

/// The call in neutral terms, without checking it: what a recording is matched by.
pub(crate) fn describe(incoming: &Incoming, route: &Route) -> Call {
    let headers = incoming.header_names();
    match route {
        Route::Messages | Route::CountTokens => {
            request::call(route.endpoint(), &incoming.json().unwrap_or_default(), headers)
        }
        Route::ListModels => Call::empty(route.endpoint(), headers),
        Route::GetModel(id) => {
            let mut call = Call::empty(route.endpoint(), headers);
            call.model.clone_from(id);
            call
        }
    }
}
