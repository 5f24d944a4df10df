//! Errors in the formats of the services.

use axum::body::Body;
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::{Value, json};

use super::names::{NO_QUOTA, anthropic_type, names, openai_code, openai_type};
use super::respond::json_response;
use crate::scenario::{Announce, DailyQuota, EnvelopeKind, HttpFault, RateLimit, ScenarioEndpoint};

/// An HTTP error, independent of its format.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SimulatedRefusal(Box<RefusalParts>);

#[derive(Debug, Clone, PartialEq)]
struct RefusalParts {
    status: u16,
    /// Code in the Interactions API.
    code: String,
    /// Status in all other Gemini endpoints.
    rpc_status: String,
    /// Code in the OpenAI API.
    openai_code: Option<String>,
    /// The invalid field, for the OpenAI API.
    param: Option<String>,
    /// Type in the Anthropic API.
    anthropic_type: String,
    message: String,
    /// Message in the Anthropic API, if it differs.
    anthropic_message: Option<String>,
    details: Vec<Value>,
    headers: Vec<(String, String)>,
    envelope: Option<EnvelopeKind>,
}

impl SimulatedRefusal {
    /// Creates an error with the usual names for its HTTP status.
    pub(crate) fn new(status: u16, message: impl Into<String>) -> Self {
        let (code, rpc_status) = names(status);
        Self(Box::new(RefusalParts {
            status,
            code: code.to_owned(),
            rpc_status: rpc_status.to_owned(),
            openai_code: openai_code(status).map(str::to_owned),
            param: None,
            anthropic_type: anthropic_type(status).to_owned(),
            message: message.into(),
            anthropic_message: None,
            details: Vec::new(),
            headers: Vec::new(),
            envelope: None,
        }))
    }

    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(400, message)
    }

    pub(crate) fn unknown_parameter(name: &str) -> Self {
        Self::invalid(format!("Unknown parameter '{name}'.")).with_code("parameter_unknown")
    }

    pub(crate) fn precondition(message: impl Into<String>) -> Self {
        let mut refusal = Self::invalid(message).with_code("failed_precondition");
        refusal.0.rpc_status = "FAILED_PRECONDITION".to_owned();
        refusal
    }

    pub(crate) fn model_not_found(model: &str, version: &str) -> Self {
        let message = format!(
            "models/{model} is not found for API version {version}, or is not supported for this method. \
             Call ListModels to see the list of available models and their supported methods."
        );
        Self::new(404, message).with_code("model_not_found")
    }

    /// An unknown model, with the message of the OpenAI API.
    pub(crate) fn no_such_model(model: &str) -> Self {
        let message = format!("The model `{model}` does not exist or you do not have access to it.");
        let mut refusal = Self::new(404, message).with_code("model_not_found");
        refusal.0.openai_code = Some("model_not_found".to_owned());
        refusal
    }

    /// An invalid field, with the code of the OpenAI API.
    pub(crate) fn bad_field(code: &str, param: &str, message: impl Into<String>) -> Self {
        let mut refusal = Self::invalid(message);
        refusal.0.openai_code = Some(code.to_owned());
        refusal.0.param = Some(param.to_owned());
        refusal
    }

    /// A blocked prompt, for APIs that report it as an HTTP error.
    pub(crate) fn blocked_prompt(reason: &str) -> Self {
        let mut refusal = Self::invalid(format!("The prompt was blocked: {reason}."));
        refusal.0.openai_code = Some("content_filter".to_owned());
        refusal
    }

    /// A missing key. The status depends on the API.
    pub(crate) fn no_key(endpoint: ScenarioEndpoint) -> Self {
        let message = "Method doesn't allow unregistered callers (callers without established identity). Please \
                       use API Key or other form of API consumer identity to call this API.";
        let status = match endpoint.envelope() {
            EnvelopeKind::Interactions | EnvelopeKind::OpenAi | EnvelopeKind::Anthropic => 401,
            EnvelopeKind::Rpc => 403,
        };
        Self::new(status, message)
    }

    pub(crate) fn bad_key() -> Self {
        let mut refusal = Self::invalid("API key not valid. Please pass a valid API key.");
        refusal.0.details.push(json!({
            "@type": "type.googleapis.com/google.rpc.ErrorInfo",
            "reason": "API_KEY_INVALID",
            "domain": "googleapis.com",
            "metadata": {"service": "generativelanguage.googleapis.com"},
        }));
        refusal
    }

    /// An invalid key, with the message of the OpenAI API.
    pub(crate) fn incorrect_key() -> Self {
        Self::new(401, "Incorrect API key provided.")
    }

    pub(crate) fn from_script(fault: &HttpFault) -> Self {
        let status = u16::from(fault.status);
        let default = format!("gemicro-sim: scripted HTTP {status}");
        let mut refusal = Self::new(status, fault.message.clone().unwrap_or(default));
        if let Some(code) = &fault.code {
            refusal.0.code.clone_from(code);
            refusal.0.rpc_status.clone_from(code);
            refusal.0.openai_code = Some(code.clone());
            refusal.0.anthropic_type.clone_from(code);
        }
        refusal.0.envelope = fault.envelope;
        refusal.0.headers = fault.headers.clone().into_iter().collect();
        refusal
    }

    pub(crate) fn rate_limit(limit: &RateLimit, model: &str) -> Self {
        let seconds = limit.seconds;
        let mut refusal = Self::new(
            429,
            format!("You exceeded your current quota. Please retry in {seconds}s."),
        );
        refusal.0.anthropic_message = Some(format!(
            "This request would exceed your organization's rate limit. Please retry in {seconds}s."
        ));
        refusal.0.envelope = limit.envelope;
        refusal.0.details.push(quota_failure(
            "generativelanguage.googleapis.com/generate_content_requests",
            "GenerateRequestsPerMinutePerProjectPerModel",
            "60",
            model,
        ));
        if matches!(limit.announce, Announce::Both | Announce::Body) {
            refusal.0.details.push(json!({
                "@type": "type.googleapis.com/google.rpc.RetryInfo",
                "retryDelay": format!("{seconds}s"),
            }));
        }
        if matches!(limit.announce, Announce::Both | Announce::Header) {
            // The header only supports whole seconds.
            let whole = format!("{}", seconds.max(0.0).ceil());
            refusal.0.headers.push(("retry-after".to_owned(), whole));
        }
        refusal
    }

    pub(crate) fn daily_quota(quota: &DailyQuota, model: &str) -> Self {
        let message = "You exceeded your current quota, please check your plan and billing details.";
        let mut refusal = Self::new(429, message).with_code("quota_exceeded");
        refusal.0.openai_code = Some(NO_QUOTA.to_owned());
        refusal.0.envelope = quota.envelope;
        refusal.0.details.push(quota_failure(
            "generativelanguage.googleapis.com/generate_content_free_tier_requests",
            "GenerateRequestsPerDayPerProjectPerModel-FreeTier",
            &quota.limit.to_string(),
            model,
        ));
        refusal
    }

    fn with_code(mut self, code: &str) -> Self {
        self.0.code = code.to_owned();
        self
    }

    /// Creates the response to the request with this number, in the scenario's format or the endpoint's own.
    pub(crate) fn response(self, own: EnvelopeKind, number: u64) -> Response {
        let parts = *self.0;
        let body = match parts.envelope.unwrap_or(own) {
            EnvelopeKind::Interactions => json!({"error": {"code": parts.code, "message": parts.message}}),
            EnvelopeKind::Rpc => {
                let mut error =
                    json!({"code": parts.status, "message": parts.message, "status": parts.rpc_status});
                if !parts.details.is_empty() {
                    error["details"] = Value::Array(parts.details);
                }
                json!({"error": error})
            }
            EnvelopeKind::OpenAi => json!({"error": {
                "message": parts.message,
                "type": openai_type(parts.status, parts.openai_code.as_deref()),
                "param": parts.param,
                "code": parts.openai_code,
            }}),
            EnvelopeKind::Anthropic => json!({
                "type": "error",
                "error": {
                    "type": parts.anthropic_type,
                    "message": parts.anthropic_message.unwrap_or(parts.message),
                },
                "request_id": request_id(EnvelopeKind::Anthropic, number).1,
            }),
        };
        let mut response = json_response(&body);
        *response.status_mut() =
            StatusCode::from_u16(parts.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        for (name, value) in parts.headers {
            let parsed = (
                axum::http::HeaderName::try_from(name),
                axum::http::HeaderValue::try_from(value),
            );
            if let (Ok(name), Ok(value)) = parsed {
                response.headers_mut().insert(name, value);
            }
        }
        response
    }
}

/// Creates an HTML page, as from a proxy.
pub(crate) fn page(status: u16) -> Response {
    let code = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_GATEWAY);
    let title = format!("{status} ({})", code.canonical_reason().unwrap_or("Error"));
    let html = format!(
        "<!DOCTYPE html>\n<html lang=en>\n<title>Error {title}!!1</title>\n<p><b>{status}.</b> <ins>That’s an \
         error.</ins>\n<p>The server encountered a temporary error and could not complete your request.\n</html>\n"
    );
    let mut response = Response::new(Body::from(html));
    *response.status_mut() = code;
    response.headers_mut().insert(
        axum::http::header::CONTENT_TYPE,
        axum::http::HeaderValue::from_static("text/html; charset=UTF-8"),
    );
    response
}

/// Returns the header for the request id, and the id.
pub(crate) fn request_id(envelope: EnvelopeKind, number: u64) -> (&'static str, String) {
    match envelope {
        EnvelopeKind::Interactions | EnvelopeKind::Rpc => ("x-goog-request-id", format!("sim-{number}")),
        EnvelopeKind::OpenAi => ("x-request-id", format!("sim-{number}")),
        EnvelopeKind::Anthropic => ("request-id", format!("req_sim{number:06}")),
    }
}

fn quota_failure(metric: &str, id: &str, value: &str, model: &str) -> Value {
    json!({
        "@type": "type.googleapis.com/google.rpc.QuotaFailure",
        "violations": [{
            "quotaMetric": metric,
            "quotaId": id,
            "quotaDimensions": {"model": model, "location": "global"},
            "quotaValue": value,
        }],
    })
}
