//! Sends calls to a forge with reqwest.
//!
//! The main type is [`ForgeTransport`]. The token and all texts go to one address only: redirects are not followed,
//! and nothing is sent twice.

use std::sync::OnceLock;

use reqwest::{Client, RequestBuilder};
use url::Url;

use super::call::{CallLost, ForgeAnswer, ForgeApiCall, HttpMethod};
use super::limits::{BODY_BYTES, CONNECT_TIME, TOTAL_TIME};
use super::reading::root_cause;
use crate::forge::token::ForgeToken;

/// The client is created on the first call, because that reads the machine's certificates.
pub(super) struct ForgeTransport {
    api: Url,
    token: Option<ForgeToken>,
    client: OnceLock<Client>,
}

impl ForgeTransport {
    pub(super) fn new(api: Url, token: Option<ForgeToken>) -> Self {
        Self {
            api,
            token,
            client: OnceLock::new(),
        }
    }

    fn client(&self) -> Result<&Client, CallLost> {
        if let Some(client) = self.client.get() {
            return Ok(client);
        }
        let client = gemicro_client::builder_for(&self.api)
            .connect_timeout(CONNECT_TIME)
            .timeout(TOTAL_TIME)
            // By default, reqwest repeats calls that a server refused before processing; only the caller may decide
            // that.
            .retry(reqwest::retry::never())
            .user_agent(concat!("gemicro/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|error| call_lost(&error))?;
        Ok(self.client.get_or_init(|| client))
    }

    fn request(&self, call: &ForgeApiCall) -> Result<RequestBuilder, CallLost> {
        let client = self.client()?;
        let address = format!("{}{}", self.api.as_str().trim_end_matches('/'), call.path);
        let mut request = match call.method {
            HttpMethod::Get => client.get(address),
            HttpMethod::Post => client.post(address),
            HttpMethod::Patch => client.patch(address),
            HttpMethod::Put => client.put(address),
        };
        // GitLab accepts its own tokens this way too, not only OAuth tokens.
        if let Some(token) = &self.token {
            request = request.bearer_auth(token.expose());
        }
        Ok(match &call.body {
            Some(body) => request.json(body),
            None => request,
        })
    }

    /// Sends a call once, within the limits of time and size, and reads the complete answer, whatever its status.
    pub(super) async fn send(&self, call: &ForgeApiCall) -> Result<ForgeAnswer, CallLost> {
        let sent = self.request(call)?.send().await;
        let mut response = sent.map_err(|error| call_lost(&error))?;
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| call_lost(&error))? {
            if body.len() + chunk.len() > BODY_BYTES {
                return Err(CallLost {
                    reason: format!("the answer has more than {BODY_BYTES} bytes"),
                });
            }
            body.extend_from_slice(&chunk);
        }
        let header = |name: &str| {
            let value = response.headers().get(name)?;
            value.to_str().ok().map(str::to_owned)
        };
        Ok(ForgeAnswer::new(response.status().as_u16(), body, header))
    }
}

fn call_lost(error: &reqwest::Error) -> CallLost {
    let reason = match error.is_timeout() {
        true => format!("no complete answer within {} s", TOTAL_TIME.as_secs()),
        false => root_cause(error),
    };
    CallLost { reason }
}
