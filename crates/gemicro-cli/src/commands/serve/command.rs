//! Runs the HTTP server.

use std::io;
use std::sync::Arc;

use gemicro_event::ErrorKind;
use gemicro_http::{HttpSetup, ServerAccess, ServerReach, serve};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::shelf::Shelf;
use super::{ServeArgs, start};
use crate::command_error::CommandError;
use crate::commands::mcp::{self, ServerRunService};
use crate::session::Context;
use crate::{output, runtime, signals, token};

/// Serves until a signal arrives.
pub(crate) fn run(ctx: &Context, args: &ServeArgs) -> Result<(), CommandError> {
    if !args.listen.ip().is_loopback() && !args.allow_remote {
        return Err(CommandError::usage(
            format!("other machines could reach {}", args.listen),
            "use 127.0.0.1, or add --allow-remote",
        ));
    }
    let ctx = Arc::new(Context {
        environment: ctx.environment.clone(),
        screen: ctx.screen.clone(),
        verbose: ctx.verbose,
    });
    runtime::block_on(async {
        let shutdown = signals::listen()?.suspend;
        let desk = ServerRunService::new(&ctx, args.no_resident)?;
        let shelf = Arc::new(Shelf::new(ctx.clone()));
        let (handing_in, planning) = (ctx.clone(), ctx.clone());
        let setup = HttpSetup {
            desk: desk.shared(),
            batch: Arc::new(move |batch| mcp::batch(&handing_in, batch, &handing_in.environment.folder)),
            plan: Arc::new(move |request| start::plan(&planning, request)),
            conversations: shelf.clone(),
            version: env!("CARGO_PKG_VERSION"),
        };
        let served = listen(&ctx, args, setup, shutdown).await;
        shelf.close().await;
        for run in desk.close().await {
            output::say(&format!(
                "run {run} is stopped; continue with: gemicro resume {run}"
            ));
        }
        served
    })
}

async fn listen(
    ctx: &Context,
    args: &ServeArgs,
    setup: HttpSetup,
    shutdown: CancellationToken,
) -> Result<(), CommandError> {
    let home = ctx.home(&ctx.layers()?)?;
    let token = token::token(&ctx.environment, &home, token::HTTP)?;
    let failed = |error: io::Error| {
        let message = match error.kind() {
            io::ErrorKind::AddrInUse => format!("{} is in use by another program", args.listen),
            _ => format!("cannot listen on {}: {error}", args.listen),
        };
        CommandError::new_failure(
            ErrorKind::InvalidInput,
            message,
            "choose another port with --listen, or 0 for a free one",
        )
    };
    let listener = TcpListener::bind(args.listen).await.map_err(failed)?;
    let bound = listener.local_addr().map_err(failed)?;
    output::say(&format!(
        "serving at http://{bound}; the bearer token is in {}; GET /openapi.json lists the routes",
        token.place
    ));
    let access = ServerAccess {
        token: token.text,
        reach: match args.listen.ip().is_loopback() {
            true => ServerReach::Loopback,
            false => ServerReach::Remote,
        },
    };
    serve(setup, listener, access, shutdown).await?;
    Ok(())
}
