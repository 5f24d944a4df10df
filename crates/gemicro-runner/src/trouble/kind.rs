//! Maps error messages and HTTP statuses of model APIs to error kinds.

use gemicro_event::ErrorKind;
use serde_json::Value;

/// The available information about an error.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clue<'a> {
    /// The status, if the CLI reports it separately from the text.
    pub(crate) http_status: Option<u16>,
    pub(crate) text: &'a str,
}

impl Clue<'_> {
    /// Returns the HTTP status, reported separately or in the text.
    pub(crate) fn status(self) -> Option<u16> {
        self.http_status.or_else(|| status_in(self.text))
    }
}

/// Words that decide, in this order; all words of a row must occur.
const WORDS: &[(&[&str], ErrorKind)] = &[
    // Our gateway refuses with this.
    (&["budget_exceeded"], ErrorKind::BudgetExceeded),
    (&["api key not valid"], ErrorKind::AuthFailed),
    (&["api_key_invalid"], ErrorKind::AuthFailed),
    (&["invalid api key"], ErrorKind::AuthFailed),
    (&["incorrect api key"], ErrorKind::AuthFailed),
    (&["authentication_error"], ErrorKind::AuthFailed),
    (&["oauth token", "expired"], ErrorKind::AuthFailed),
    (&["run /login"], ErrorKind::AuthFailed),
    (&["not logged in"], ErrorKind::AuthFailed),
    (&["daily quota"], ErrorKind::QuotaExhausted),
    (&["usage limit"], ErrorKind::QuotaExhausted),
    (&["exceeded your current quota"], ErrorKind::QuotaExhausted),
    (&["insufficient_quota"], ErrorKind::QuotaExhausted),
    (&["credit balance is too low"], ErrorKind::QuotaExhausted),
    (&["hit your", "limit"], ErrorKind::QuotaExhausted),
    (&["limit reached", "reset"], ErrorKind::QuotaExhausted),
    (&["limit reached|"], ErrorKind::QuotaExhausted),
    (&["quota will reset"], ErrorKind::QuotaExhausted),
    (&["resource exhausted"], ErrorKind::RateLimited),
    (&["resource_exhausted"], ErrorKind::RateLimited),
    (&["rate limit"], ErrorKind::RateLimited),
    (&["rate_limit"], ErrorKind::RateLimited),
    (&["too many requests"], ErrorKind::RateLimited),
    (&["models/", "is not found"], ErrorKind::UnknownModel),
    (&["model", "does not exist"], ErrorKind::UnknownModel),
    (&["model_not_found"], ErrorKind::UnknownModel),
    (&["not_found_error", "model"], ErrorKind::UnknownModel),
    (&["prompt is too long"], ErrorKind::InvalidInput),
    (&["exceeds the maximum number of tokens"], ErrorKind::InvalidInput),
    (&["context_length_exceeded"], ErrorKind::InvalidInput),
    (&["prohibited_content"], ErrorKind::Blocked),
    (&["usage policy"], ErrorKind::Blocked),
    (&["blocked due to safety"], ErrorKind::Blocked),
    (&["empty response"], ErrorKind::EmptyResult),
];

/// Returns the kind of an error; `upstream_error` by default.
pub(crate) fn classify(clue: Clue<'_>) -> ErrorKind {
    let text = clue.text.to_lowercase();
    let by_words = WORDS
        .iter()
        .find(|(words, _)| words.iter().all(|word| text.contains(word)))
        .map(|(_, kind)| *kind);
    by_words
        .or_else(|| clue.status().and_then(by_status))
        .unwrap_or(ErrorKind::UpstreamError)
}

fn by_status(status: u16) -> Option<ErrorKind> {
    match status {
        401 | 403 => Some(ErrorKind::AuthFailed),
        402 => Some(ErrorKind::QuotaExhausted),
        404 => Some(ErrorKind::UnknownModel),
        429 => Some(ErrorKind::RateLimited),
        408 | 409 => Some(ErrorKind::UpstreamError),
        400..=499 => Some(ErrorKind::InvalidInput),
        500..=599 => Some(ErrorKind::UpstreamError),
        _ => None,
    }
}

/// Finds the HTTP status in a text: in a JSON body (`"code":403`), or as `status 401`, `last status: 429`,
/// `API Error: 400`, `(429)`.
fn status_in(text: &str) -> Option<u16> {
    body_status(text).or_else(|| {
        ["status ", "status: ", "API Error: ", "("]
            .iter()
            .find_map(|lead| text.split(lead).skip(1).find_map(leading_status))
    })
}

fn body_status(text: &str) -> Option<u16> {
    let body = text.get(text.find('{')?..)?;
    let mut values = serde_json::Deserializer::from_str(body).into_iter::<Value>();
    let value = values.next()?.ok()?;
    let code = value.pointer("/error/code").or_else(|| value.get("code"))?;
    u16::try_from(code.as_u64()?).ok()
}

fn leading_status(text: &str) -> Option<u16> {
    let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
    let status: u16 = (digits.len() == 3).then(|| digits.parse().ok())??;
    (400..600).contains(&status).then_some(status)
}
