//! All routes and their OpenAPI description, which the `routes!` macro generates.

use axum::Router;
use axum::extract::DefaultBodyLimit;
use gemicro_event::{ErrorKind, Failure};
use hyper::StatusCode;
use utoipa::openapi::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::{
    batch, batch_changes, batch_types, batches, conversations, health, inbox, metrics, openapi, run,
    run_changes, run_events, run_pause, run_result, runs,
};
use crate::app::SharedApp;
use crate::trouble::HttpTrouble;

/// Returns the router and its OpenAPI description.
pub(crate) fn all() -> (Router<SharedApp>, OpenApi) {
    let (router, document) = OpenApiRouter::new()
        .routes(routes!(batches::list, batches::submit))
        .routes(routes!(batch::poll))
        .routes(routes!(batch_changes::cancel))
        .routes(routes!(batch_changes::retry))
        .routes(routes!(batch_types::list))
        .routes(routes!(batch_types::schema))
        .routes(routes!(runs::list, runs::start))
        .routes(routes!(inbox::list))
        .routes(routes!(run::show))
        .routes(routes!(run_events::events))
        .routes(routes!(run_changes::command))
        .routes(routes!(run_changes::cancel))
        .routes(routes!(run_pause::pause_run))
        .routes(routes!(run_pause::resume_run))
        .routes(routes!(run_result::result))
        .routes(routes!(conversations::list))
        .routes(routes!(conversations::show))
        .routes(routes!(health::health))
        .routes(routes!(metrics::metrics))
        .routes(routes!(openapi::openapi))
        .split_for_parts();
    let router = router
        .fallback(async || no_route())
        .method_not_allowed_fallback(async || no_method())
        // Bodies have already been read and limited in size before they reach the router.
        .layer(DefaultBodyLimit::disable());
    (router, document)
}

fn no_route() -> HttpTrouble {
    Failure::new(
        ErrorKind::NotFound,
        "there is no such route; /openapi.json lists them",
    )
    .into()
}

fn no_method() -> HttpTrouble {
    let failure = Failure::new(
        ErrorKind::InvalidInput,
        "this route does not support that method; /openapi.json lists them",
    );
    HttpTrouble::new(StatusCode::METHOD_NOT_ALLOWED, failure)
}
