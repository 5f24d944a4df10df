//! From method and path to the call that is meant.

use std::sync::Arc;

use axum::http::Method;
use axum::response::Response;

use super::{chat, models, responses};
use crate::call::Call;
use crate::scenario::Endpoint;
use crate::server::{Incoming, Refusal, World};

/// One call of the API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Route {
    ChatCompletions,
    Responses,
    ListModels,
    GetModel(String),
}

impl Route {
    /// The call, unless it is one of another API. Both have models under `v1`: a key in the way of Google tells.
    pub(crate) fn of(incoming: &Incoming) -> Option<Self> {
        let path = incoming.path.trim_matches('/').strip_prefix("v1/")?;
        let is_get = incoming.method == Method::GET;
        match path.split_once('/').unwrap_or((path, "")) {
            ("chat", "completions") if incoming.method == Method::POST => Some(Self::ChatCompletions),
            ("responses", "") if incoming.method == Method::POST => Some(Self::Responses),
            ("models", _) if incoming.has_google_key() || !is_get => None,
            ("models", "") => Some(Self::ListModels),
            // Ids may hold slashes.
            ("models", id) => Some(Self::GetModel(id.to_owned())),
            _ => None,
        }
    }

    pub(crate) fn endpoint(&self) -> Endpoint {
        match self {
            Self::ChatCompletions => Endpoint::ChatCompletions,
            Self::Responses => Endpoint::Responses,
            Self::ListModels | Self::GetModel(_) => Endpoint::OpenAiModels,
        }
    }
}

/// Answers a call of the API. Local servers ask for no key, so none is as good as any.
pub(crate) async fn answer(
    world: &Arc<World>,
    incoming: &Incoming,
    route: &Route,
) -> Result<Response, Refusal> {
    if incoming.key() == Some("invalid") {
        return Err(Refusal::incorrect_key());
    }
    match route {
        Route::ChatCompletions => chat::complete(world, incoming).await,
        Route::Responses => responses::create(world, incoming).await,
        Route::ListModels => models::list(world, incoming).await,
        Route::GetModel(id) => models::get(world, incoming, id).await,
    }
}

/// The call in neutral terms, without checking it.
pub(crate) fn describe(incoming: &Incoming, route: &Route) -> Call {
    let headers = incoming.header_names();
    match route {
        Route::ChatCompletions => chat::call(&incoming.json().unwrap_or_default(), headers),
        Route::Responses => responses::call(&incoming.json().unwrap_or_default(), &[], headers),
        Route::ListModels => Call::empty(Endpoint::OpenAiModels, headers),
        Route::GetModel(id) => {
            let mut call = Call::empty(Endpoint::OpenAiModels, headers);
            call.model.clone_from(id);
            call
        }
    }
}
