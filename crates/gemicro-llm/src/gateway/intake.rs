//! The body of a request, in bounds of size, time and memory.

use std::sync::Arc;
use std::time::Duration;

use http_body_util::BodyExt;
use hyper::body::{Body, Bytes, Incoming};
use hyper::header::{CONTENT_ENCODING, HeaderMap};
use tokio::sync::OwnedSemaphorePermit;

use super::account::GrantAccount;
use super::config::GatewayConfig;
use super::problem::GatewayProblem;

/// How long, and how many times its limit, a body that is too large is read on, so that its sender gets to
/// read the answer.
const DRAIN_TIME: Duration = Duration::from_secs(5);
const DRAIN_TIMES: usize = 4;

/// A body and its room.
pub(super) struct Intake {
    pub(super) bytes: Bytes,
    _room: Option<OwnedSemaphorePermit>,
}

pub(super) async fn intake(
    config: &GatewayConfig,
    step: &GrantAccount,
    headers: &HeaderMap,
    mut body: Incoming,
) -> Result<Intake, GatewayProblem> {
    let encoding = headers.get(CONTENT_ENCODING);
    if encoding.is_some_and(|encoding| !encoding.as_bytes().eq_ignore_ascii_case(b"identity")) {
        // What is packed cannot be bounded.
        drain(config, &mut body).await;
        let message = "the gateway of gemicro takes no compressed bodies";
        return Err(GatewayProblem::new(415, "unsupported_encoding", message));
    }
    match tokio::time::timeout(config.body_time, read(config, step, &mut body)).await {
        Ok(Some(intake)) => intake,
        Ok(None) => {
            drain(config, &mut body).await;
            let message = format!("the body is larger than {} bytes", config.body_bytes);
            Err(GatewayProblem::new(413, "request_too_large", message))
        }
        Err(_) => Err(GatewayProblem::new(408, "timeout", "the body took too long")),
    }
}

/// `None` where it is too large.
async fn read(
    config: &GatewayConfig,
    step: &GrantAccount,
    body: &mut Incoming,
) -> Option<Result<Intake, GatewayProblem>> {
    let limit = config.body_bytes;
    let stated = body.size_hint().lower();
    if usize::try_from(stated).map_or(true, |stated| stated > limit) {
        return None;
    }
    let mut bytes = Vec::new();
    let mut room: Option<OwnedSemaphorePermit> = None;
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else {
            return Some(Err(GatewayProblem::bad("the body broke off")));
        };
        let Some(data) = frame.data_ref() else { continue };
        if bytes.len() + data.len() > limit {
            return None;
        }
        let wanted = u32::try_from(data.len()).ok()?;
        let Ok(more) = Arc::clone(&step.room).acquire_many_owned(wanted).await else {
            return Some(Err(GatewayProblem::unauthorised()));
        };
        match &mut room {
            Some(room) => room.merge(more),
            None => room = Some(more),
        }
        bytes.extend_from_slice(data);
    }
    Some(Ok(Intake {
        bytes: Bytes::from(bytes),
        _room: room,
    }))
}

async fn drain(config: &GatewayConfig, body: &mut Incoming) {
    let mut left = config.body_bytes.saturating_mul(DRAIN_TIMES);
    let draining = async {
        while let Some(Ok(frame)) = body.frame().await {
            left = left.saturating_sub(frame.data_ref().map_or(0, Bytes::len));
            if left == 0 {
                return;
            }
        }
    };
    let _ = tokio::time::timeout(DRAIN_TIME, draining).await;
}
