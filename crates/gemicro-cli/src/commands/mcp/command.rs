//! Runs the MCP server.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use gemicro_engine::{Resident, RunService};
use gemicro_event::{ErrorKind, StreamId};
use gemicro_mcp::{McpSetup, ServerAccess, ServerReach, serve_http, serve_stdio};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::lazy_local_run_service::LazyLocalRunService;
use super::{McpArgs, batch, research};
use crate::command_error::CommandError;
use crate::commands::serve;
use crate::config::StateFolder;
use crate::session::Context;
use crate::{output, resident, runtime, signals, token};

/// Serves until the client disconnects or a signal arrives.
pub(crate) fn run(ctx: &Context, args: &McpArgs) -> Result<(), CommandError> {
    if let Some(address) = args.http
        && !address.ip().is_loopback()
        && !args.allow_remote
    {
        return Err(CommandError::usage(
            format!("other machines could reach {address}"),
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
        let (planning, handing_in, piping) = (ctx.clone(), ctx.clone(), ctx.clone());
        let setup = McpSetup {
            desk: desk.shared(),
            research: Arc::new(move |parameters| research::plan(&planning, parameters)),
            batch: Arc::new(move |parameters| {
                batch::request(&handing_in, parameters.batch, &parameters.directory)
            }),
            // This starts programs and waits for them.
            pipeline: Arc::new(move |parameters| {
                tokio::task::block_in_place(|| serve::pipeline(&piping, parameters))
            }),
            fallback: args.fallback.clone(),
            answer_within: Duration::from_secs(args.answer_within),
            log: Arc::new(output::say),
        };
        if args.http.is_none() && ctx.screen.stdin_is_terminal {
            output::say("Waiting for an MCP client on stdin; see docs/mcp.md. Press Ctrl-C to stop.");
        }
        let served = match args.http {
            None => serve_stdio(setup, shutdown).await.map_err(CommandError::from),
            Some(address) => http(&ctx, setup, address, shutdown).await,
        };
        for run in desk.close().await {
            output::say(&format!(
                "run {run} is stopped; continue with: gemicro resume {run}"
            ));
        }
        served
    })
}

/// Runs the runs of a server.
pub(crate) enum ServerRunService {
    /// The background worker: its runs continue after this server ends.
    Resident(Arc<Resident>),
    Here(Arc<LazyLocalRunService>),
}

impl ServerRunService {
    /// The background worker, unless this process or the settings disable it. Nothing is opened yet.
    pub(crate) fn new(ctx: &Arc<Context>, no_resident: bool) -> Result<Self, CommandError> {
        let state = StateFolder::resolve(&ctx.layers()?)?;
        if no_resident || !state.resident.value {
            return Ok(Self::Here(Arc::new(LazyLocalRunService::new(ctx.clone()))));
        }
        let resident = resident::client(&ctx.environment, &state)?;
        Ok(Self::Resident(Arc::new(resident)))
    }

    pub(crate) fn shared(&self) -> Arc<dyn RunService> {
        match self {
            Self::Resident(resident) => resident.clone(),
            Self::Here(here) => here.clone(),
        }
    }

    /// Stops the runs that cannot continue without this process, and returns them.
    pub(crate) async fn close(&self) -> Vec<StreamId> {
        match self {
            Self::Resident(_) => Vec::new(),
            Self::Here(here) => here.close().await,
        }
    }
}

async fn http(
    ctx: &Context,
    setup: McpSetup,
    address: SocketAddr,
    shutdown: CancellationToken,
) -> Result<(), CommandError> {
    let home = ctx.home(&ctx.layers()?)?;
    let token = token::token(&ctx.environment, &home, token::MCP)?;
    let failed = |error: std::io::Error| {
        CommandError::new_failure(
            ErrorKind::InvalidInput,
            format!("cannot listen on {address}: {error}"),
            "choose another port with --http, or 0 for a free one",
        )
    };
    let listener = TcpListener::bind(address).await.map_err(failed)?;
    let bound = listener.local_addr().map_err(failed)?;
    output::say(&format!(
        "serving MCP at http://{bound}/mcp; the bearer token is in {}",
        token.place
    ));
    let access = ServerAccess {
        token: token.text,
        reach: if address.ip().is_loopback() {
            ServerReach::Loopback
        } else {
            ServerReach::Remote
        },
    };
    serve_http(setup, listener, access, shutdown).await?;
    Ok(())
}
