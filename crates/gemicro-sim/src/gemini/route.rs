//! Maps method and path to a call.

use std::sync::Arc;

use axum::http::Method;
use axum::response::Response;

use super::{content, interactions, models};
use crate::call::ModelCall;
use crate::scenario::ScenarioEndpoint;
use crate::server::{IncomingRequest, ServerWorld, SimulatedRefusal};

/// One call of the API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GeminiRoute {
    pub(crate) version: String,
    pub(crate) target: RouteTarget,
}

/// The target of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RouteTarget {
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

impl GeminiRoute {
    pub(crate) fn of(incoming: &IncomingRequest) -> Result<Self, SimulatedRefusal> {
        let parts: Vec<&str> = incoming.path.trim_matches('/').split('/').collect();
        let unknown = || {
            SimulatedRefusal::new(
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
            ["interactions"] if post => RouteTarget::CreateInteraction,
            ["interactions", id] if get => RouteTarget::GetInteraction((*id).to_owned()),
            ["interactions", id] if delete => RouteTarget::DeleteInteraction((*id).to_owned()),
            ["interactions", id, "cancel"] if post => RouteTarget::CancelInteraction((*id).to_owned()),
            ["models"] if get => RouteTarget::ListModels,
            ["models", model] => match (model.rsplit_once(':'), get, post) {
                (None, true, _) => RouteTarget::GetModel((*model).to_owned()),
                (Some((model, "generateContent")), _, true) => RouteTarget::GenerateContent(model.to_owned()),
                (Some((model, "streamGenerateContent")), _, true) => {
                    RouteTarget::StreamGenerateContent(model.to_owned())
                }
                (Some((model, "countTokens")), _, true) => RouteTarget::CountTokens(model.to_owned()),
                _ => return Err(unknown()),
            },
            _ => return Err(unknown()),
        };
        Ok(Self {
            version: (*version).to_owned(),
            target,
        })
    }

    pub(crate) fn endpoint(&self) -> ScenarioEndpoint {
        match &self.target {
            RouteTarget::CreateInteraction => ScenarioEndpoint::Interactions,
            RouteTarget::GetInteraction(_) => ScenarioEndpoint::GetInteraction,
            RouteTarget::CancelInteraction(_) => ScenarioEndpoint::CancelInteraction,
            RouteTarget::DeleteInteraction(_) => ScenarioEndpoint::DeleteInteraction,
            RouteTarget::GenerateContent(_) => ScenarioEndpoint::GenerateContent,
            RouteTarget::StreamGenerateContent(_) => ScenarioEndpoint::StreamGenerateContent,
            RouteTarget::CountTokens(_) => ScenarioEndpoint::CountTokens,
            RouteTarget::ListModels | RouteTarget::GetModel(_) => ScenarioEndpoint::Models,
        }
    }
}

/// Answers a call of the API.
pub(crate) async fn answer(
    world: &Arc<ServerWorld>,
    incoming: &IncomingRequest,
    route: GeminiRoute,
) -> Result<Response, SimulatedRefusal> {
    match incoming.key() {
        None => return Err(SimulatedRefusal::no_key(route.endpoint())),
        Some("invalid") => return Err(SimulatedRefusal::bad_key()),
        Some(_) => {}
    }
    match &route.target {
        RouteTarget::CreateInteraction => interactions::create(world, incoming, &route).await,
        RouteTarget::GetInteraction(id) => interactions::fetch(world, incoming, id).await,
        RouteTarget::CancelInteraction(id) => interactions::cancel(world, incoming, id).await,
        RouteTarget::DeleteInteraction(id) => interactions::delete(world, incoming, id).await,
        RouteTarget::GenerateContent(model) => content::generate(world, incoming, &route, model).await,
        RouteTarget::StreamGenerateContent(model) => content::stream(world, incoming, &route, model).await,
        RouteTarget::CountTokens(model) => content::count(world, incoming, &route, model).await,
        RouteTarget::ListModels => models::list(world, incoming, &route).await,
        RouteTarget::GetModel(model) => models::get(world, incoming, &route, model).await,
    }
}

/// Describes the call in neutral terms, without checking it. Recordings are matched by this.
pub(crate) fn describe(incoming: &IncomingRequest, route: &GeminiRoute) -> ModelCall {
    let headers = incoming.header_names();
    let body = incoming.json().unwrap_or_default();
    let mut call = match &route.target {
        RouteTarget::CreateInteraction => {
            interactions::call(&body, headers, &interactions::PreviousTurns::default())
        }
        RouteTarget::GenerateContent(model)
        | RouteTarget::StreamGenerateContent(model)
        | RouteTarget::CountTokens(model) => content::call(route.endpoint(), model, &body, headers),
        RouteTarget::GetInteraction(_)
        | RouteTarget::CancelInteraction(_)
        | RouteTarget::DeleteInteraction(_)
        | RouteTarget::ListModels
        | RouteTarget::GetModel(_) => ModelCall::empty(route.endpoint(), headers),
    };
    match &route.target {
        RouteTarget::GetInteraction(id)
        | RouteTarget::CancelInteraction(id)
        | RouteTarget::DeleteInteraction(id) => {
            call.interaction.clone_from(id);
            call.stream = incoming.parameter("stream") == Some("true");
        }
        RouteTarget::GetModel(model) => call.model.clone_from(model),
        RouteTarget::CreateInteraction
        | RouteTarget::GenerateContent(_)
        | RouteTarget::StreamGenerateContent(_)
        | RouteTarget::CountTokens(_)
        | RouteTarget::ListModels => {}
    }
    call
}
