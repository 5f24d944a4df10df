//! Carries calls to GitHub with octocrab.
//!
//! The main type is [`OctocrabTransport`]. octocrab's own retries are off: it would repeat a call that creates. It
//! follows no redirects, since that feature is not built in.

use std::sync::OnceLock;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use octocrab::Octocrab;
use octocrab::service::middleware::retry::RetryConfig;
use url::Url;

use crate::forge::api::{
    Answer, BODY_BYTES, CONNECT_TIME, Call, Method, TOTAL_TIME, Transport, Unheard, root_cause,
};
use crate::forge::token::ForgeToken;

/// octocrab, made at the first call: it needs a runtime and reads the machine's certificates.
pub(super) struct OctocrabTransport {
    api: Url,
    token: Option<ForgeToken>,
    octocrab: OnceLock<Octocrab>,
}

impl OctocrabTransport {
    pub(super) fn new(api: Url, token: Option<ForgeToken>) -> Self {
        Self {
            api,
            token,
            octocrab: OnceLock::new(),
        }
    }

    fn octocrab(&self) -> Result<&Octocrab, Unheard> {
        if let Some(octocrab) = self.octocrab.get() {
            return Ok(octocrab);
        }
        let octocrab = self.build().map_err(|error| unheard(&error))?;
        Ok(self.octocrab.get_or_init(|| octocrab))
    }

    fn build(&self) -> Result<Octocrab, octocrab::Error> {
        let mut builder = Octocrab::builder()
            .base_uri(self.api.as_str())?
            .add_retry_config(RetryConfig::None)
            .set_connect_timeout(Some(CONNECT_TIME))
            .set_read_timeout(Some(TOTAL_TIME))
            .set_write_timeout(Some(TOTAL_TIME));
        if let Some(token) = &self.token {
            // It was checked to be sendable; octocrab takes that for granted.
            builder = builder.personal_token(token.expose().to_owned());
        }
        builder.build()
    }

    async fn carry(&self, call: &Call) -> Result<Answer, Unheard> {
        let octocrab = self.octocrab()?;
        let (path, body) = (call.path.as_str(), call.body.as_ref());
        let sent = match call.method {
            Method::Get => octocrab._get(path).await,
            Method::Post => octocrab._post(path, body).await,
            Method::Patch => octocrab._patch(path, body).await,
            Method::Put => octocrab._put(path, body).await,
        };
        let (parts, body) = sent.map_err(|error| unheard(&error))?.into_parts();
        let body = Limited::new(body, BODY_BYTES).collect().await;
        let body = body.map_err(|error| match error.downcast_ref::<LengthLimitError>() {
            Some(_) => Unheard {
                reason: format!("the answer has more than {BODY_BYTES} bytes"),
            },
            None => unheard(error.as_ref()),
        })?;
        let header = |name: &str| {
            let value = parts.headers.get(name)?;
            value.to_str().ok().map(str::to_owned)
        };
        Ok(Answer::new(
            parts.status.as_u16(),
            body.to_bytes().to_vec(),
            header,
        ))
    }
}

impl Transport for OctocrabTransport {
    fn send<'a>(&'a self, call: &'a Call) -> BoxFuture<'a, Result<Answer, Unheard>> {
        async move {
            let late = |_| Unheard {
                reason: format!("no whole answer within {} s", TOTAL_TIME.as_secs()),
            };
            tokio::time::timeout(TOTAL_TIME, self.carry(call))
                .await
                .map_err(late)?
        }
        .boxed()
    }
}

fn unheard(error: &(dyn std::error::Error + 'static)) -> Unheard {
    Unheard {
        reason: root_cause(error),
    }
}
