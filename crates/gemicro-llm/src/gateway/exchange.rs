//! One request and its answer: the order of what happens to it.

use std::sync::Arc;

use hyper::body::{Bytes, Incoming};
use hyper::http::request::Parts;
use hyper::{Method, Request};

use super::admit::{Admitted, admit};
use super::answer::answer;
use super::gateway::Inner;
use super::intake::intake;
use super::prepare::{Prepared, prepare};
use super::problem::{Problem, Reply, full};
use super::ticket::RefusedWhy;
use super::tool;
use super::upstream::Outgoing;
use super::wire::Task;

/// Answers a request.
pub(super) async fn exchange(gateway: &Inner, request: Request<Incoming>) -> Reply {
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
    problem: Problem,
    /// Set where it never went out.
    refused: Option<RefusedWhy>,
}

impl Stop {
    /// It was refused here.
    pub(super) fn refused(why: RefusedWhy, problem: Problem) -> Self {
        Self {
            problem,
            refused: Some(why),
        }
    }

    /// It went out, or would have, and came to nothing.
    pub(super) fn failed(problem: Problem) -> Self {
        Self {
            problem,
            refused: None,
        }
    }
}

impl From<Problem> for Stop {
    fn from(problem: Problem) -> Self {
        Self::refused(RefusedWhy::Request, problem)
    }
}

async fn pass(gateway: &Inner, parts: &Parts, body: Incoming, admitted: Admitted) -> Result<Reply, Stop> {
    let Admitted {
        step,
        mut route,
        query,
    } = admitted;
    let taken = if parts.method == Method::POST {
        let taken = intake(&gateway.config, &step, &parts.headers, body);
        Some(tokio::select! {
            () = step.closed.cancelled() => return Err(Stop::failed(Problem::unauthorised())),
            taken = taken => taken?,
        })
    } else {
        None
    };
    let mut body = taken.as_ref().map(|taken| taken.bytes.clone());
    let paid = match &route.task {
        Task::Ping => return Ok(full(Bytes::new())),
        Task::Tool => return Ok(tool::answer(&step, body)?),
        Task::Free => None,
        Task::Generate { dialect, model, verb } => {
            let prepared = prepare(
                gateway,
                &step,
                *dialect,
                model.as_deref(),
                body.unwrap_or_default(),
            );
            let Prepared {
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
    let outgoing = Outgoing {
        method: &parts.method,
        path: &route.path,
        query: query.as_deref(),
        headers: &parts.headers,
        body,
    };
    answer(gateway, step, outgoing, paid).await
}
