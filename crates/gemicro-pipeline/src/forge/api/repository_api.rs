//! Asks, tries again, and says what went wrong.
//!
//! The main type is [`RepositoryApi`]. Only calls that can be repeated are repeated here; how a request is made without making
//! two stands in `offering`.

use gemicro_event::redact::Redactor;
use serde::de::DeserializeOwned;

use super::call::{CallLost, ForgeAnswer, ForgeApiCall, HttpMethod};
use super::limits::WAITS;
use super::reading::words;
use super::transport::ForgeTransport;
use crate::forge::address::ForgeAddress;
use crate::forge::error::ForgeError;
use crate::forge::token::ForgeToken;

/// One repository's API, with what its errors have to say.
pub(crate) struct RepositoryApi {
    place: String,
    /// What to do where the token is missing or not good.
    about_token: String,
    transport: ForgeTransport,
    redactor: Redactor,
}

/// A call with its purpose.
#[derive(Debug, Clone)]
pub(crate) struct ForgeAsk {
    /// What it is to do, as in `cannot …`.
    pub(crate) doing: &'static str,
    /// The right that it takes, in the forge's words.
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
            Some(_) => format!("the token is not valid, or not any more: set a new one in {variables}"),
            None => format!("no token was given: set one in {variables}"),
        };
        Self {
            place: address.place(),
            about_token,
            redactor: Redactor::new(token.as_ref().map(ForgeToken::expose)),
            transport: ForgeTransport::new(address.api().clone(), token),
        }
    }

    /// Asks until there is an answer, or too many tries failed. An answer may be a refusal, but none of those that are
    /// the forge's own failure.
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

    /// Asks, and reads the answer if it is a good one.
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

    /// Reads an answer as what it should be.
    pub(crate) fn read<T: DeserializeOwned>(
        &self,
        ask: &ForgeAsk,
        answer: &ForgeAnswer,
    ) -> Result<T, ForgeError> {
        let mut deserializer = serde_json::Deserializer::from_slice(&answer.body);
        serde_path_to_error::deserialize(&mut deserializer)
            .map_err(|error| self.protocol(ask, error.to_string()))
    }

    /// What came is not what such a forge says.
    pub(crate) fn protocol(&self, ask: &ForgeAsk, problem: impl AsRef<str>) -> ForgeError {
        ForgeError::Protocol {
            place: self.place.clone(),
            doing: ask.doing.to_owned(),
            problem: self.redactor.redact(problem.as_ref()).into_owned(),
        }
    }

    /// What a forge said, for people.
    pub(crate) fn forge_message(&self, answer: &ForgeAnswer) -> String {
        self.redactor.redact(&words(&answer.body)).into_owned()
    }

    /// The error that a status means.
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

    /// Why something cannot be seen, where the status says that the token has no right to it; else the error.
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
