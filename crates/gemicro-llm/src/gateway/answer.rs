//! Sends a request upstream and turns what comes back into the client's answer.

use std::sync::Arc;

use chrono::Utc;
use hyper::body::Bytes;
use hyper::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap};
use hyper::{Response, StatusCode};

use super::account::GrantAccount;
use super::exchange::Stop;
use super::gateway::GatewayState;
use super::note::NoteKind;
use super::problem::{ClientReply, GatewayProblem, full};
use super::pump::{self, CarriedAnswer};
use super::quota::ProviderQuota;
use super::reader::AnswerReader;
use super::reservation::Reservation;
use super::upstream::{OutgoingRequest, request, returned_headers};
use super::wire::WireDialect;
use crate::http::{error_body, root_cause};

/// The answer instead of one that cannot be read.
const COMPRESSED: &str = "the model API compressed its answer although it was asked not to; use an endpoint that honours \
                          `Accept-Encoding: identity`";

pub(super) async fn answer(
    gateway: &GatewayState,
    step: Arc<GrantAccount>,
    outgoing: OutgoingRequest<'_>,
    paid: Option<(&'static dyn WireDialect, Reservation)>,
) -> Result<ClientReply, Stop> {
    step.sends(outgoing.body.as_ref().map_or(0, Bytes::len));
    let sending = request(&step, outgoing).send();
    let answer_time = gateway.config.answer_time;
    let sent = tokio::select! {
        biased;
        () = step.closed.cancelled() => return Err(Stop::after_failure(GatewayProblem::unauthorised())),
        sent = tokio::time::timeout(answer_time, sending) => sent,
    };
    let response = match sent {
        Ok(Ok(response)) => response,
        Ok(Err(error)) => {
            let never_sent = error.is_connect() || error.is_builder();
            if let Some((_, reservation)) = paid.filter(|_| never_sent) {
                reservation.release();
            }
            let why = step.mask.text(&root_cause(&error));
            return Err(trouble(
                &step,
                502,
                "upstream_failed",
                format!("the model API failed: {why}"),
            ));
        }
        Err(_) => {
            let seconds = answer_time.as_secs_f64();
            let message = format!("the model API did not answer within {seconds} s");
            return Err(trouble(&step, 504, "upstream_late", message));
        }
    };
    let status = response.status();
    step.note_answer(status.as_u16());
    let is_compressed = is_compressed(response.headers());
    if status.is_success() && is_compressed {
        return Err(trouble(&step, 502, "upstream_compressed", COMPRESSED.to_owned()));
    }
    if status.is_success() {
        let content_type = response.headers().get(CONTENT_TYPE);
        let content_type = content_type.and_then(|value| value.to_str().ok());
        let content_type = content_type.unwrap_or_default().to_ascii_lowercase();
        let headers = returned_headers(&step, response.headers());
        let carried = CarriedAnswer {
            paid: paid.map(|(dialect, held)| (AnswerReader::new(dialect, &content_type), held)),
            response,
            idle_time: gateway.config.idle_time,
            step,
        };
        return Ok(reply(status, headers, Response::new(pump::start(carried))));
    }
    // Providers bill no request that they answer with an error; of a timeout nobody knows.
    if let Some((_, reservation)) = paid.filter(|_| !matches!(status.as_u16(), 408 | 504)) {
        reservation.release();
    }
    if status.is_redirection() || status.is_informational() {
        let message = format!(
            "the model API answered with HTTP {}, which is not followed",
            status.as_u16()
        );
        return Err(trouble(&step, 502, "upstream_redirects", message));
    }
    let headers = response.headers().clone();
    let body = tokio::select! {
        biased;
        () = step.closed.cancelled() => return Err(Stop::after_failure(GatewayProblem::unauthorised())),
        body = error_body(response) => body,
    };
    step.note_bytes(body.len());
    if status == StatusCode::TOO_MANY_REQUESTS {
        step.note_limit(ProviderQuota::read(&headers, &body, Utc::now()));
    }
    step.note(NoteKind::Upstream {
        status: Some(status.as_u16()),
        trouble: format!("HTTP {}", status.as_u16()),
    });
    let body = match is_compressed || body.starts_with(&pump::GZIP) {
        true => COMPRESSED.to_owned(),
        false => step.mask.text(&String::from_utf8_lossy(&body)),
    };
    Ok(reply(
        status,
        returned_headers(&step, &headers),
        full(Bytes::from(body)),
    ))
}

/// Whether a body is compressed: nobody asked for it, and neither usage nor the key can be seen in it.
fn is_compressed(headers: &HeaderMap) -> bool {
    let mut encodings = headers.get_all(CONTENT_ENCODING).iter();
    encodings.any(|encoding| !encoding.as_bytes().eq_ignore_ascii_case(b"identity"))
}

/// Trouble with upstream that has no answer to pass on.
fn trouble(step: &GrantAccount, status: u16, code: &'static str, message: String) -> Stop {
    step.note(NoteKind::Upstream {
        status: None,
        trouble: message.clone(),
    });
    Stop::after_failure(GatewayProblem::new(status, code, message))
}

fn reply(status: StatusCode, headers: HeaderMap, mut reply: ClientReply) -> ClientReply {
    *reply.status_mut() = status;
    *reply.headers_mut() = headers;
    reply
}
