//! What the codes of the service mean for us.

use gemicro_event::ErrorKind;

use super::interaction::InteractionProblem;

/// Codes that say that policy stopped the model (docs: `gemini-api/docs/api-errors`).
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
/// Codes that say that the model wrote something that cannot be used.
const MALFORMED: &[&str] = &[
    "malformed_function_call",
    "malformed_response",
    "malformed_tool_call",
    "unexpected_tool_call",
    "too_many_tool_calls",
];
/// Messages of errors that pass although their code says otherwise.
const TRANSIENT: &[&str] = &[
    "there was a problem processing your request",
    "invalid json syntax",
];

/// The last word of a code: codes may be addresses.
pub(super) fn word_of(code: &str) -> String {
    let last = code.rsplit('/').next().unwrap_or(code);
    last.trim().to_ascii_lowercase()
}

/// Whether a message belongs to an error that passes by itself.
pub(super) fn is_transient(message: &str) -> bool {
    let message = message.to_ascii_lowercase();
    TRANSIENT.iter().any(|part| message.contains(part))
}

/// Whether a code says that policy stopped the model.
pub(super) fn is_block(code: &str) -> bool {
    BLOCKED.contains(&word_of(code).as_str())
}

impl InteractionProblem {
    /// Why policy stopped the model, if it did. How the service words this is only half documented: codes
    /// are, but a step's error has a number for its code, and the reason stands in its message.
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

    /// The kind of failure.
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

    /// Code and message for people.
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
