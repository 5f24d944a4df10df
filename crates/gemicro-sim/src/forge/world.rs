//! One simulated forge: its answers, its faults, and the calls it received.

use std::sync::{Mutex, MutexGuard, PoisonError};

use axum::http::header::{LOCATION, RETRY_AFTER};
use axum::http::{Method, StatusCode};
use axum::response::Response;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::reply::{ForgeReply, response, with_header};
use super::script::{CallPurpose, ForgeApi, ForgeFaultKind, ForgeScript, ScriptedRequest, TokenRights};
use super::state::ForgeState;
use super::{github, gitlab};
use crate::server::IncomingRequest;

/// One call that a simulated forge received.
#[derive(Debug, Clone, PartialEq)]
pub struct ForgeCall {
    /// GET, POST, PATCH, PUT.
    pub method: String,
    /// Path and query, as the client sent them.
    pub path: String,
    /// The purpose, if known.
    pub purpose: Option<CallPurpose>,
    /// Whether it had a token; the token is not stored.
    pub had_token: bool,
    /// The body, if it is JSON.
    pub body: Value,
    /// Status of the answer; `None` if no complete answer was sent.
    pub status: Option<u16>,
}

pub(super) struct SimulatedForge {
    pub(super) script: ForgeScript,
    state: Mutex<ForgeState>,
    pub(super) calls: watch::Sender<Vec<ForgeCall>>,
    /// Ends the waits of faults that never answer.
    pub(super) shutdown: CancellationToken,
}

/// How a call continues after it was processed.
pub(super) enum ForgeOutcome {
    Answered(Box<Response>),
    Cut,
    Hanging,
}

impl SimulatedForge {
    pub(super) fn new(script: ForgeScript, shutdown: CancellationToken) -> Self {
        Self {
            state: Mutex::new(ForgeState::new(&script)),
            calls: watch::Sender::new(Vec::new()),
            shutdown,
            script,
        }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, ForgeState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Answers a call, unless a fault of the script applies.
    pub(super) fn answer(&self, incoming: &IncomingRequest, purpose: Option<CallPurpose>) -> ForgeOutcome {
        let mut state = self.state();
        let fault = purpose.and_then(|purpose| state.next_fault(purpose));
        let answer = match fault {
            None => self.reply(&mut state, incoming).response(),
            Some(ForgeFaultKind::Status(status)) => self.failure(status).response(),
            Some(ForgeFaultKind::DoneThenStatus(status)) => {
                self.reply(&mut state, incoming);
                self.failure(status).response()
            }
            Some(ForgeFaultKind::DoneThenCut) => {
                self.reply(&mut state, incoming);
                return ForgeOutcome::Cut;
            }
            Some(ForgeFaultKind::DoneThenHang) => {
                self.reply(&mut state, incoming);
                return ForgeOutcome::Hanging;
            }
            Some(ForgeFaultKind::Race) => {
                state.add(same_by_another_user(incoming));
                self.reply(&mut state, incoming).response()
            }
            Some(ForgeFaultKind::Garbage) => {
                response(200, "text/html", "<html><body>Sign in</body></html>".to_owned())
            }
            Some(ForgeFaultKind::Redirect(location)) => {
                with_header(self.failure(302).response(), LOCATION, &location)
            }
            Some(ForgeFaultKind::RateLimit(seconds)) => {
                let status = match self.script.api {
                    ForgeApi::GitHub => 403,
                    ForgeApi::GitLab => 429,
                };
                with_header(self.failure(status).response(), RETRY_AFTER, &seconds.to_string())
            }
            Some(ForgeFaultKind::Echo) => {
                let token = token(incoming).unwrap_or_default();
                ForgeReply::new(422, json!({ "message": format!("cannot use {token}") })).response()
            }
            Some(ForgeFaultKind::Stale) => ForgeReply::new(200, json!([])).response(),
        };
        ForgeOutcome::Answered(Box::new(answer))
    }

    /// Records a call, without its token.
    pub(super) fn note(&self, incoming: &IncomingRequest, purpose: Option<CallPurpose>, status: Option<u16>) {
        let query = incoming
            .query
            .iter()
            .map(|(name, value)| format!("{name}={value}"));
        let query = query.collect::<Vec<_>>().join("&");
        let separator = if query.is_empty() { "" } else { "?" };
        let call = ForgeCall {
            method: incoming.method.to_string(),
            path: format!("{}{separator}{query}", incoming.path),
            purpose,
            had_token: token(incoming).is_some(),
            body: serde_json::from_slice(&incoming.body).unwrap_or_default(),
            status,
        };
        self.calls.send_modify(|calls| calls.push(call));
    }

    /// Answers without faults: checks the token, then its permissions, then calls the API.
    fn reply(&self, state: &mut ForgeState, incoming: &IncomingRequest) -> ForgeReply {
        let given = token(incoming);
        if self.script.token.is_some() && given != self.script.token.as_deref() {
            return match self.script.api {
                ForgeApi::GitHub => github::unauthorised_reply(given.is_some()),
                ForgeApi::GitLab => gitlab::unauthorised_reply(),
            };
        }
        let writes = incoming.method != Method::GET;
        match (self.script.api, self.script.rights, writes) {
            (ForgeApi::GitHub, TokenRights::Read, true) => github::forbidden_reply(),
            (ForgeApi::GitLab, TokenRights::Read, true) => gitlab::forbidden_reply(),
            (ForgeApi::GitHub, TokenRights::Read | TokenRights::Write, _) => {
                github::answer(&self.script, state, incoming)
            }
            (ForgeApi::GitLab, TokenRights::Read | TokenRights::Write, _) => {
                gitlab::answer(&self.script, state, incoming)
            }
        }
    }

    fn failure(&self, status: u16) -> ForgeReply {
        let reason = StatusCode::from_u16(status).ok();
        let reason = reason
            .and_then(|status| status.canonical_reason())
            .unwrap_or("Error");
        let message = match self.script.api {
            ForgeApi::GitHub => reason.to_owned(),
            ForgeApi::GitLab => format!("{status} {reason}"),
        };
        ForgeReply::new(status, json!({ "message": message }))
    }
}

/// Counts the calls with this purpose.
pub(super) fn count(calls: &[ForgeCall], purpose: CallPurpose) -> usize {
    calls.iter().filter(|call| call.purpose == Some(purpose)).count()
}

/// Returns the token, from the headers that the services accept.
fn token(incoming: &IncomingRequest) -> Option<&str> {
    let authorization = incoming.header("authorization");
    let bearer =
        authorization.and_then(|value| value.strip_prefix("Bearer ").or(value.strip_prefix("token ")));
    bearer.or_else(|| incoming.header("private-token"))
}

fn same_by_another_user(incoming: &IncomingRequest) -> ScriptedRequest {
    let body: Value = serde_json::from_slice(&incoming.body).unwrap_or_default();
    let field = |names: [&str; 2]| {
        let value = names.iter().find_map(|name| body[*name].as_str());
        value.unwrap_or_default().to_owned()
    };
    ScriptedRequest {
        head: field(["head", "source_branch"]),
        base: field(["base", "target_branch"]),
        title: "By somebody else".to_owned(),
        body: "by hand".to_owned(),
        fork: false,
    }
}
