//! Serves the routes on a listener.

use std::sync::Arc;

use gemicro_event::{ErrorKind, Failure};
use gemicro_listener::{ListenerParts, ServerAccess};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::document::document_json;
use crate::entrance::HttpEntrance;
use crate::routes;
use crate::setup::HttpSetup;

/// Serves the API until `shutdown` is cancelled. Then it accepts no more requests, waiting calls return the current
/// state, event streams end, and answers have a few seconds to be sent. Runs continue.
///
/// # Errors
/// When the listener fails.
pub async fn serve(
    setup: HttpSetup,
    listener: TcpListener,
    access: ServerAccess,
    shutdown: CancellationToken,
) -> Result<(), Failure> {
    let (router, document) = routes::all();
    let document = document_json(document, setup.version)?;
    let app = App::new(setup, document, shutdown.clone());
    let listening = ListenerParts {
        listener,
        access,
        n_connections: app.metrics.connections(),
        shutdown,
    };
    let entrance = HttpEntrance::new(app.clone(), router.with_state(app));
    let served = gemicro_listener::serve(Arc::new(entrance), listening).await;
    served.map_err(|error| {
        Failure::new(
            ErrorKind::Internal,
            format!("the server can no longer listen: {error}"),
        )
    })
}
