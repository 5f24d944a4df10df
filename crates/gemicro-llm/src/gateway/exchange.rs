//! One request and its answer: the order of what happens to it.

use std::sync::Arc;

use hyper::body::{Bytes, Incoming};
use hyper::http::request::Parts;
use hyper::{Method, Request};

use super::admit::{AdmittedRequest, admit};
use super::answer::answer;
use super::gateway::GatewayState;
use super::intake::intake;
use super::prepare::{PreparedRequest, prepare, read};
use super::problem::{ClientReply, GatewayProblem, full};
use super::ticket::RefusedWhy;
use super::tool;
use super::upstream::OutgoingRequest;
use super::wire::WireTask;

pub(super) async fn exchange(gateway: &GatewayState, request: Request<Incoming>) -> ClientReply {
    let (parts, body) = request.into_parts();
    let admitted = match admit(gateway, &parts) {
        Ok(admitted) => admitted,
        Err((wire, problem)) => {
            tracing::debug!(status = problem.status, code = problem.code, "refused");
            return problem.reply(wire);
        }
    };
    let step = Arc::clone(&admitted.step);
    match pass(gateway, &parts, body, admitted).await {
        Ok(reply) => reply,
        Err(stop) => {
            if let Some(why) = stop.refused {
                step.refuse(why, &stop.problem.message);
            }
            stop.problem.reply(step.grant.wire)
        }
    }
}

/// A request that gets no answer of upstream's.
pub(super) struct Stop {
    problem: GatewayProblem,
    /// Set where it never went out.
    refused: Option<RefusedWhy>,
}

impl Stop {
    /// It was refused here.
    pub(super) fn refused_here(why: RefusedWhy, problem: GatewayProblem) -> Self {
        Self {
            problem,
            refused: Some(why),
        }
    }

    /// It went out, or would have, and came to nothing.
    pub(super) fn after_failure(problem: GatewayProblem) -> Self {
        Self {
            problem,
            refused: None,
        }
    }
}

impl From<GatewayProblem> for Stop {
    fn from(problem: GatewayProblem) -> Self {
        Self::refused_here(RefusedWhy::Request, problem)
    }
}

async fn pass(
    gateway: &GatewayState,
    parts: &Parts,
    body: Incoming,
    admitted: AdmittedRequest,
) -> Result<ClientReply, Stop> {
    let AdmittedRequest {
        step,
        mut route,
        query,
    } = admitted;
    let taken = if parts.method == Method::POST {
        let taken = intake(&gateway.config, &step, &parts.headers, body);
        Some(tokio::select! {
            () = step.closed.cancelled() => return Err(Stop::after_failure(GatewayProblem::unauthorised())),
            taken = taken => taken?,
        })
    } else {
        None
    };
    let mut body = taken.as_ref().map(|taken| taken.bytes.clone());
    let paid = match &route.task {
        WireTask::Ping => return Ok(full(Bytes::new())),
        WireTask::Tool => return Ok(tool::answer(&step, body)?),
        WireTask::Free => None,
        WireTask::Count { dialect } => {
            read(&step, *dialect, body.as_deref().unwrap_or_default())?;
            None
        }
        WireTask::Generate { dialect, model, verb } => {
            let prepared = prepare(
                gateway,
                &step,
                *dialect,
                model.as_deref(),
                body.unwrap_or_default(),
            );
            let PreparedRequest {
                model,
                body: edited,
                reservation,
            } = prepared.await?;
            body = Some(edited);
            if !verb.is_empty()
                && let Some(last) = route.path.last_mut()
            {
                *last = format!("{model}{verb}");
            }
            Some((*dialect, reservation))
        }
    };
    let outgoing = OutgoingRequest {
        method: &parts.method,
        path: &route.path,
        query: query.as_deref(),
        headers: &parts.headers,
        body,
    };
    answer(gateway, step, outgoing, paid).await
}
