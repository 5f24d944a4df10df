//! The services' names for HTTP statuses.

/// The OpenAI code and type for an exhausted quota.
pub(super) const NO_QUOTA: &str = "insufficient_quota";

/// The OpenAI code for an HTTP status, if there is one.
pub(super) fn openai_code(status: u16) -> Option<&'static str> {
    match status {
        401 => Some("invalid_api_key"),
        429 => Some("rate_limit_exceeded"),
        _ => None,
    }
}

/// The OpenAI type of an error.
pub(super) fn openai_type(status: u16, code: Option<&str>) -> &'static str {
    match status {
        429 if code == Some(NO_QUOTA) => NO_QUOTA,
        429 => "requests",
        400..500 => "invalid_request_error",
        _ => "server_error",
    }
}

/// The Interactions code and the RPC status for an HTTP status.
pub(super) fn names(status: u16) -> (&'static str, &'static str) {
    match status {
        401 => ("authentication", "UNAUTHENTICATED"),
        402 => ("payment_required", "FAILED_PRECONDITION"),
        403 => ("permission_denied", "PERMISSION_DENIED"),
        404 => ("not_found", "NOT_FOUND"),
        408 => ("request_timeout", "DEADLINE_EXCEEDED"),
        409 => ("aborted", "ABORTED"),
        416 => ("out_of_range", "OUT_OF_RANGE"),
        429 => ("rate_limit_exceeded", "RESOURCE_EXHAUSTED"),
        400..500 => ("invalid_request", "INVALID_ARGUMENT"),
        503 => ("unavailable", "UNAVAILABLE"),
        504 => ("gateway_timeout", "DEADLINE_EXCEEDED"),
        502 => ("bad_gateway", "UNAVAILABLE"),
        _ => ("internal", "INTERNAL"),
    }
}

/// The Anthropic type for an HTTP status.
pub(super) fn anthropic_type(status: u16) -> &'static str {
    match status {
        401 => "authentication_error",
        402 => "billing_error",
        403 => "permission_error",
        404 => "not_found_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        400..500 => "invalid_request_error",
        504 => "timeout_error",
        529 => "overloaded_error",
        _ => "api_error",
    }
}
