//! From method and path to the call that is meant.

use std::sync::Arc;

use axum::http::Method;
use axum::response::Response;

use super::{content, interactions, models};
use crate::call::Call;
use crate::scenario::Endpoint;
use crate::server::{Incoming, Refusal, World};

/// One call of the API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Route {
    /// `v1` or `v1beta`.
    pub(crate) version: String,
    pub(crate) target: Target,
}

/// What the path names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Target {
    CreateInteraction,
    GetInteraction(String),
    CancelInteraction(String),
    DeleteInteraction(String),
    GenerateContent(String),
    StreamGenerateContent(String),
    CountTokens(String),
    ListModels,
    GetModel(String),
}

impl Route {
    pub(crate) fn of(incoming: &Incoming) -> Result<Self, Refusal> {
        let parts: Vec<&str> = incoming.path.trim_matches('/').split('/').collect();
        let unknown = || {
            Refusal::new(
                404,
                format!("{} {} was not found.", incoming.method, incoming.path),
            )
        };
        let [version @ ("v1" | "v1beta"), rest @ ..] = parts.as_slice() else {
            return Err(unknown());
        };
        let get = incoming.method == Method::GET;
        let post = incoming.method == Method::POST;
        let delete = incoming.method == Method::DELETE;
        let target = match rest {
            ["interactions"] if post => Target::CreateInteraction,
            ["interactions", id] if get => Target::GetInteraction((*id).to_owned()),
            ["interactions", id] if delete => Target::DeleteInteraction((*id).to_owned()),
            ["interactions", id, "cancel"] if post => Target::CancelInteraction((*id).to_owned()),
            ["models"] if get => Target::ListModels,
            ["models", model] => match (model.rsplit_once(':'), get, post) {
                (None, true, _) => Target::GetModel((*model).to_owned()),
                (Some((model, "generateContent")), _, true) => Target::GenerateContent(model.to_owned()),
                (Some((model, "streamGenerateContent")), _, true) => {
                    Target::StreamGenerateContent(model.to_owned())
                }
                (Some((model, "countTokens")), _, true) => Target::CountTokens(model.to_owned()),
                _ => return Err(unknown()),
            },
            _ => return Err(unknown()),
        };
        Ok(Self {
            version: (*version).to_owned(),
            target,
        })
    }

    pub(crate) fn endpoint(&self) -> Endpoint {
        match &self.target {
            Target::CreateInteraction => Endpoint::Interactions,
            Target::GetInteraction(_) => Endpoint::GetInteraction,
            Target::CancelInteraction(_) => Endpoint::CancelInteraction,
            Target::DeleteInteraction(_) => Endpoint::DeleteInteraction,
            Target::GenerateContent(_) => Endpoint::GenerateContent,
            Target::StreamGenerateContent(_) => Endpoint::StreamGenerateContent,
            Target::CountTokens(_) => Endpoint::CountTokens,
            Target::ListModels | Target::GetModel(_) => Endpoint::Models,
        }
    }
}

/// Answers a call of the API.
pub(crate) async fn answer(
    world: &Arc<World>,
    incoming: &Incoming,
    route: Route,
) -> Result<Response, Refusal> {
    match incoming.key() {
        None => return Err(Refusal::no_key(route.endpoint())),
        Some("invalid") => return Err(Refusal::bad_key()),
        Some(_) => {}
    }
    match &route.target {
        Target::CreateInteraction => interactions::create(world, incoming, &route).await,
        Target::GetInteraction(id) => interactions::fetch(world, incoming, id).await,
        Target::CancelInteraction(id) => interactions::cancel(world, incoming, id).await,
        Target::DeleteInteraction(id) => interactions::delete(world, incoming, id).await,
        Target::GenerateContent(model) => content::generate(world, incoming, &route, model).await,
        Target::StreamGenerateContent(model) => content::stream(world, incoming, &route, model).await,
        Target::CountTokens(model) => content::count(world, incoming, &route, model).await,
        Target::ListModels => models::list(world, incoming, &route).await,
        Target::GetModel(model) => models::get(world, incoming, &route, model).await,
    }
}

/// The call in neutral terms, without checking it: what a recording is matched by.
pub(crate) fn describe(incoming: &Incoming, route: &Route) -> Call {
    let headers = incoming.header_names();
    let body = incoming.json().unwrap_or_default();
    let mut call = match &route.target {
        Target::CreateInteraction => interactions::call(&body, headers, &interactions::Before::default()),
        Target::GenerateContent(model)
        | Target::StreamGenerateContent(model)
        | Target::CountTokens(model) => content::call(route.endpoint(), model, &body, headers),
        Target::GetInteraction(_)
        | Target::CancelInteraction(_)
        | Target::DeleteInteraction(_)
        | Target::ListModels
        | Target::GetModel(_) => Call::empty(route.endpoint(), headers),
    };
    match &route.target {
        Target::GetInteraction(id) | Target::CancelInteraction(id) | Target::DeleteInteraction(id) => {
            call.interaction.clone_from(id);
            call.stream = incoming.parameter("stream") == Some("true");
        }
        Target::GetModel(model) => call.model.clone_from(model),
        Target::CreateInteraction
        | Target::GenerateContent(_)
        | Target::StreamGenerateContent(_)
        | Target::CountTokens(_)
        | Target::ListModels => {}
    }
    call
}
