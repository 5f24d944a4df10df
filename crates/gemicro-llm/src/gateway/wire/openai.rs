//! The OpenAI API: paths, key, errors. Its dialects are `responses` and `chat`.

use hyper::Method;
use reqwest::header::{AUTHORIZATION, HeaderName, HeaderValue};
use serde_json::{Value, json};

use super::chat::ChatWire;
use super::responses::Responses;
use super::{GatewayRoute, WireRules};
use crate::gateway::problem::GatewayProblem;

/// The most tokens of one picture: the dearest tiles of the dearest model, and some.
pub(super) const PICTURE_TOKENS: u64 = 65_536;

pub(super) struct OpenAi;

impl WireRules for OpenAi {
    fn route(&self, method: &Method, path: &[&str]) -> Option<GatewayRoute> {
        let (get, post) = (*method == Method::GET, *method == Method::POST);
        match path {
            ["v1", "responses"] if post => Some(GatewayRoute::generate(path, &Responses)),
            ["v1", "chat", "completions"] if post => Some(GatewayRoute::generate(path, &ChatWire)),
            ["v1", "models"] | ["v1", "models", _] if get => Some(GatewayRoute::free(path)),
            _ => None,
        }
    }

    fn query(&self) -> &'static [&'static str] {
        &["limit", "after", "order", "client_version"]
    }

    fn passes(&self, header: &str) -> bool {
        matches!(
            header,
            "openai-beta"
                | "originator"
                | "session_id"
                | "conversation_id"
                | "version"
                | "x-client-request-id"
        ) || header.starts_with("x-stainless-")
            || header.starts_with("x-codex-")
    }

    fn key_header(&self) -> HeaderName {
        AUTHORIZATION
    }

    fn key_value(&self, key: &str) -> Option<HeaderValue> {
        HeaderValue::from_str(&format!("Bearer {key}")).ok()
    }

    /// The CLI stops at once on 400; it repeats 401, 429 and 5xx.
    fn error(&self, problem: &GatewayProblem) -> Value {
        let kind = match problem.status {
            401 => "authentication_error",
            403 => "permission_error",
            400..=499 => "invalid_request_error",
            _ => "server_error",
        };
        json!({ "error": {
            "message": problem.message, "type": kind, "param": null, "code": problem.code,
        } })
    }
}
