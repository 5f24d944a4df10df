//! Starts a simulated forge and serves its calls.
//!
//! The main types are [`ForgeSimulator`] and [`RunningForge`]. `world` answers the calls.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::to_bytes;
use axum::extract::{Request, State};
use axum::response::Response;
use tokio_util::sync::CancellationToken;

use super::reply::{broken_off, response};
use super::script::{CallPurpose, ForgeApi, ForgeScript};
use super::state::{HeldRequest, HeldState};
use super::world::{ForgeCall, ForgeOutcome, SimulatedForge, count};
use super::{github, gitlab};
use crate::server::{IncomingRequest, LoopbackServer, StartError, listen};

/// Maximum size of a request.
const BODY_BYTES: usize = 4 << 20;

/// Starts forges that follow a script.
#[derive(Debug)]
pub struct ForgeSimulator;

/// A running forge simulator. Dropping it stops it without waiting.
pub struct RunningForge {
    world: Arc<SimulatedForge>,
    listening: LoopbackServer,
}

impl ForgeSimulator {
    /// Listens on a free port of 127.0.0.1 and answers until stopped.
    pub async fn start(script: ForgeScript) -> Result<RunningForge, StartError> {
        let shutdown = CancellationToken::new();
        let world = Arc::new(SimulatedForge::new(script, shutdown.clone()));
        let router = Router::new().fallback(dispatch).with_state(Arc::clone(&world));
        let addr = SocketAddr::from(([127, 0, 0, 1], 0));
        let listening = listen(router, addr, shutdown).await?;
        Ok(RunningForge { world, listening })
    }
}

impl RunningForge {
    /// The address it listens on, including the port.
    pub fn addr(&self) -> SocketAddr {
        self.listening.addr
    }

    /// The base address of its API.
    pub fn api_url(&self) -> String {
        let addr = self.listening.addr;
        match self.world.script.api {
            ForgeApi::GitHub => format!("http://{addr}"),
            ForgeApi::GitLab => format!("http://{addr}/api/v4"),
        }
    }

    /// The calls it received, in order.
    pub fn calls(&self) -> Vec<ForgeCall> {
        self.world.calls.borrow().clone()
    }

    /// The number of calls with this purpose.
    pub fn count(&self, purpose: CallPurpose) -> usize {
        count(&self.world.calls.borrow(), purpose)
    }

    /// Waits until it has received this many calls with this purpose.
    pub async fn saw(&self, purpose: CallPurpose, n_calls: usize) {
        let mut calls = self.world.calls.subscribe();
        // The sender lives as long as this handle.
        let _ = calls.wait_for(|calls| count(calls, purpose) >= n_calls).await;
    }

    /// Its merge requests.
    pub fn requests(&self) -> Vec<HeldRequest> {
        self.world.state().requests.clone()
    }

    /// Merges or closes a merge request, as a person would.
    pub fn set_state(&self, number: u64, state: HeldState) {
        if let Some(request) = self.world.state().by_number(number) {
            request.state = state;
        }
    }

    /// Closes all connections and returns when nothing runs any more.
    pub async fn shutdown(self) {
        self.listening.stop().await;
    }
}

impl std::fmt::Debug for RunningForge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RunningForge")
            .field("addr", &self.listening.addr)
            .finish_non_exhaustive()
    }
}

async fn dispatch(State(world): State<Arc<SimulatedForge>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let mut incoming = IncomingRequest::new(parts);
    let Ok(body) = to_bytes(body, BODY_BYTES).await else {
        return response(413, "text/plain", "too large".to_owned());
    };
    incoming.body = body;
    let purpose = match world.script.api {
        ForgeApi::GitHub => github::purpose(&incoming),
        ForgeApi::GitLab => gitlab::purpose(&incoming),
    };
    let outcome = world.answer(&incoming, purpose);
    let status = match &outcome {
        ForgeOutcome::Answered(response) => Some(response.status().as_u16()),
        ForgeOutcome::Cut | ForgeOutcome::Hanging => None,
    };
    world.note(&incoming, purpose, status);
    match outcome {
        ForgeOutcome::Answered(response) => *response,
        ForgeOutcome::Cut => broken_off(),
        ForgeOutcome::Hanging => {
            world.shutdown.cancelled().await;
            response(503, "text/plain", "the simulator stopped".to_owned())
        }
    }
}
