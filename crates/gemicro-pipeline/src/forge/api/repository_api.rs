//! Sends calls, retries them, and reports errors.
//!
//! The main type is [`RepositoryApi`]. Only calls that can be repeated safely are retried here; `offering` makes sure
//! that a merge request is not created twice.

use gemicro_event::redact::Redactor;
use serde::de::DeserializeOwned;

use super::call::{CallLost, ForgeAnswer, ForgeApiCall, HttpMethod};
use super::limits::WAITS;
use super::reading::words;
use super::transport::ForgeTransport;
use crate::forge::address::ForgeAddress;
use crate::forge::error::ForgeError;
use crate::forge::token::ForgeToken;

/// The API of one repository, with the context for its error messages.
pub(crate) struct RepositoryApi {
    place: String,
    /// Advice for a missing or invalid token.
    about_token: String,
    transport: ForgeTransport,
    redactor: Redactor,
}

/// A call and its purpose.
#[derive(Debug, Clone)]
pub(crate) struct ForgeAsk {
    /// Purpose of the call, to follow `cannot …`.
    pub(crate) doing: &'static str,
    /// Permission that the call needs, in the forge's terms.
    pub(crate) right: &'static str,
    pub(crate) call: ForgeApiCall,
}

impl ForgeAsk {
    /// A call that changes nothing.
    pub(crate) fn get(doing: &'static str, right: &'static str, path: String) -> Self {
        Self {
            doing,
            right,
            call: ForgeApiCall {
                method: HttpMethod::Get,
                path,
                body: None,
            },
        }
    }
}

impl RepositoryApi {
    pub(crate) fn new(address: &ForgeAddress, token: Option<ForgeToken>) -> Self {
        let variables = address.kind().token_variables().join(" or ");
        let about_token = match token {
            Some(_) => format!("the token is invalid or expired: set a new one in {variables}"),
            None => format!("no token was given: set one in {variables}"),
        };
        Self {
            place: address.place(),
            about_token,
            redactor: Redactor::new(token.as_ref().map(ForgeToken::expose)),
            transport: ForgeTransport::new(address.api().clone(), token),
        }
    }

    /// Retries until there is an answer or too many attempts failed. The answer may be a refusal, but never a server
    /// error (5xx).
    pub(crate) async fn ask(&self, ask: &ForgeAsk) -> Result<ForgeAnswer, ForgeError> {
        let mut waits = WAITS.iter();
        loop {
            let trouble = match self.once(ask).await {
                Ok(answer) if answer.status < 500 => return Ok(answer),
                Ok(answer) => self.refusal(ask, &answer),
                Err(error) => error,
            };
            match waits.next() {
                Some(wait) => tokio::time::sleep(*wait).await,
                None => return Err(trouble),
            }
        }
    }

    /// Sends the call, and parses the answer if it is successful.
    pub(crate) async fn json<T: DeserializeOwned>(&self, ask: &ForgeAsk) -> Result<T, ForgeError> {
        let answer = self.ask(ask).await?;
        if !answer.is_success() {
            return Err(self.refusal(ask, &answer));
        }
        self.read(ask, &answer)
    }

    /// Sends a call exactly once.
    pub(crate) async fn once(&self, ask: &ForgeAsk) -> Result<ForgeAnswer, ForgeError> {
        let sent = self.transport.send(&ask.call).await;
        sent.map_err(|CallLost { reason }| ForgeError::Unreachable {
            place: self.place.clone(),
            doing: ask.doing.to_owned(),
            reason: self.redactor.redact(&reason).into_owned(),
        })
    }

    pub(crate) fn read<T: DeserializeOwned>(
        &self,
        ask: &ForgeAsk,
        answer: &ForgeAnswer,
    ) -> Result<T, ForgeError> {
        let mut deserializer = serde_json::Deserializer::from_slice(&answer.body);
        serde_path_to_error::deserialize(&mut deserializer)
            .map_err(|error| self.protocol(ask, error.to_string()))
    }

    /// Creates the error for an answer that such a forge would not give.
    pub(crate) fn protocol(&self, ask: &ForgeAsk, problem: impl AsRef<str>) -> ForgeError {
        ForgeError::Protocol {
            place: self.place.clone(),
            doing: ask.doing.to_owned(),
            problem: self.redactor.redact(problem.as_ref()).into_owned(),
        }
    }

    /// Returns the forge's message, for users.
    pub(crate) fn forge_message(&self, answer: &ForgeAnswer) -> String {
        self.redactor.redact(&words(&answer.body)).into_owned()
    }

    /// Returns the error for a status.
    pub(crate) fn refusal(&self, ask: &ForgeAsk, answer: &ForgeAnswer) -> ForgeError {
        let (place, doing) = (self.place.clone(), ask.doing.to_owned());
        let message = self.forge_message(answer);
        if let Some(limited) = answer.limited {
            return ForgeError::RateLimited {
                place,
                doing,
                retry_after: limited.retry_after,
            };
        }
        match answer.status {
            401 => ForgeError::Unauthorised {
                place,
                doing,
                message: format!("HTTP 401, {message}"),
                next: self.about_token.clone(),
            },
            403 => ForgeError::Forbidden {
                place,
                doing,
                message,
                right: ask.right.to_owned(),
            },
            404 => ForgeError::NotFound {
                place,
                doing,
                message,
            },
            status => ForgeError::Refused {
                place,
                doing,
                status,
                message,
            },
        }
    }

    /// Explains why something is hidden if the status says that the token lacks permission; otherwise returns the
    /// error.
    pub(crate) fn hidden_reason(&self, ask: &ForgeAsk, answer: &ForgeAnswer) -> Result<String, ForgeError> {
        match (answer.status, answer.limited) {
            (403 | 404, None) => Ok(format!(
                "the token may not {} (HTTP {}: {}); it needs {}",
                ask.doing,
                answer.status,
                self.forge_message(answer),
                ask.right
            )),
            _ => Err(self.refusal(ask, answer)),
        }
    }
}
