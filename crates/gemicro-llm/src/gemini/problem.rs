//! Interprets the error codes of the service.

use gemicro_event::ErrorKind;

use super::interaction::InteractionProblem;

/// Codes for output stopped by policy (docs: `gemini-api/docs/api-errors`).
const BLOCKED: &[&str] = &[
    "safety",
    "recitation",
    "language",
    "prohibited_content",
    "spii",
    "blocklist",
    "image_safety",
    "image_prohibited_content",
    "image_recitation",
    "image_other",
    "content_blocked",
    "model_armor",
    "jailbreak",
];
/// Codes for unusable output of the model.
const MALFORMED: &[&str] = &[
    "malformed_function_call",
    "malformed_response",
    "malformed_tool_call",
    "unexpected_tool_call",
    "too_many_tool_calls",
];
/// Messages of transient errors whose code suggests otherwise.
const TRANSIENT: &[&str] = &[
    "there was a problem processing your request",
    "invalid json syntax",
];

/// The last part of a code, which may be an address.
pub(super) fn word_of(code: &str) -> String {
    let last = code.rsplit('/').next().unwrap_or(code);
    last.trim().to_ascii_lowercase()
}

/// Whether a message belongs to a transient error.
pub(super) fn is_transient(message: &str) -> bool {
    let message = message.to_ascii_lowercase();
    TRANSIENT.iter().any(|part| message.contains(part))
}

/// Whether a code means that policy stopped the model.
pub(super) fn is_block(code: &str) -> bool {
    BLOCKED.contains(&word_of(code).as_str())
}

impl InteractionProblem {
    /// Why policy stopped the model, if it did. This is only partly documented: codes are, but the error of a step
    /// has a number as its code, and the reason is in its message.
    pub(super) fn block(&self) -> Option<String> {
        let by_code = self.code.as_deref().is_some_and(is_block);
        if !by_code && !says_blocked(&self.message) {
            return None;
        }
        Some(self.words())
    }

    /// Whether the output limit was the reason.
    pub(super) fn is_length(&self) -> bool {
        let code = self.code.as_deref().map(word_of).unwrap_or_default();
        let message = self.message.to_ascii_lowercase();
        ["max_tokens", "max_output_tokens"]
            .iter()
            .any(|word| code == *word || message.contains(word))
    }

    pub(super) fn kind(&self) -> ErrorKind {
        let code = self.code.as_deref().map(word_of).unwrap_or_default();
        match code.as_str() {
            // Numbers are those of google.rpc.Code.
            "rate_limit_exceeded" | "too_many_requests" | "resource_exhausted" | "8" | "429" => {
                ErrorKind::RateLimited
            }
            "quota_exceeded" | "payment_required" => ErrorKind::QuotaExhausted,
            "authentication" | "unauthenticated" | "permission_denied" | "7" | "16" => ErrorKind::AuthFailed,
            "model_not_found" => ErrorKind::UnknownModel,
            "invalid_request"
            | "invalid_argument"
            | "parameter_unknown"
            | "failed_precondition"
            | "out_of_range"
                if !is_transient(&self.message) =>
            {
                ErrorKind::InvalidInput
            }
            code if MALFORMED.contains(&code) => ErrorKind::MalformedOutput,
            _ => ErrorKind::UpstreamError,
        }
    }

    /// Code and message as text.
    pub(super) fn words(&self) -> String {
        match (self.code.as_deref(), self.message.as_str()) {
            (None, "") => "no reason given".to_owned(),
            (Some(code), "") => code.to_owned(),
            (None, message) => message.to_owned(),
            (Some(code), message) => format!("{code}: {message}"),
        }
    }
}

fn says_blocked(message: &str) -> bool {
    let message = message.to_ascii_lowercase();
    let mut words = message.split(|c: char| !c.is_alphanumeric() && c != '_');
    message.contains("was blocked")
        || words.any(|word| word != "language" && word != "image_other" && BLOCKED.contains(&word))
}
