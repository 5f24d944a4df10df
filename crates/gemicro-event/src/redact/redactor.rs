//! Redacts whole texts.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use super::cut::{self, Span};
use super::forms::Forms;
use super::scan::{self, FollowingText};
use super::stream::RedactStream;
use crate::Json;

/// The replacement for secrets.
pub const MASK: &str = "***";

/// Replaces known secrets and well-known token patterns with [`MASK`]; cheap to clone.
///
/// Text without secrets is returned unchanged. JSON and JSON lines stay valid. Time is linear in the text, for a given
/// set of secrets.
#[derive(Clone, Default)]
pub struct Redactor {
    forms: Arc<Forms>,
}

impl Redactor {
    /// A redactor for these values, besides the token patterns. Surrounding white space is ignored. Values under
    /// 8 characters are ignored (they would match ordinary words), and so are values that contain the mask (they are
    /// masked already).
    pub fn new<S: AsRef<str>>(secrets: impl IntoIterator<Item = S>) -> Self {
        Self {
            forms: Arc::new(Forms::of(secrets)),
        }
    }

    /// The text without its secrets.
    #[must_use]
    pub fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let found = scan::scan(&self.forms, text, 0, FollowingText::Nothing);
        if found.spans.is_empty() {
            return Cow::Borrowed(text);
        }
        Cow::Owned(cut::cut(text, &found.spans))
    }

    /// The value without its secrets. If the replacement ever breaks the syntax, the result is empty: better than a secret.
    #[must_use]
    pub fn redact_json(&self, json: &Json) -> Json {
        match self.redact(json.text()) {
            Cow::Borrowed(_) => json.clone(),
            Cow::Owned(text) => Json::from_text(&text).unwrap_or_default(),
        }
    }

    /// Starts redacting a text that arrives in chunks.
    #[must_use]
    pub fn stream(&self) -> RedactStream {
        RedactStream::new(self.clone())
    }

    pub(super) fn forms(&self) -> &Forms {
        &self.forms
    }
}

impl fmt::Debug for Redactor {
    /// Shows the number of patterns, never the secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redactor")
            .field("n_forms", &self.forms.len())
            .finish_non_exhaustive()
    }
}

/// Appends a span, joining it with the last one if they touch.
pub(super) fn join_spans(spans: &mut Vec<Span>, span: Span) {
    match spans.last_mut() {
        Some(last) if span.start <= last.end => {
            last.start = last.start.min(span.start);
            last.end = last.end.max(span.end);
        }
        Some(_) | None => spans.push(span),
    }
}
