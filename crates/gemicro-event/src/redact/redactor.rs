//! Redaction of whole texts.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use super::cut::{self, Span};
use super::forms::Forms;
use super::scan::{self, FollowingText};
use super::stream::RedactStream;

/// What stands where a secret stood.
pub const MASK: &str = "***";

/// Replaces known secret values and token shapes by [`MASK`]; cheap to clone.
///
/// Text without secrets comes back as it is. Text that is JSON, or JSON lines, stays so. Time is linear in
/// the text, for a given set of secrets.
#[derive(Clone, Default)]
pub struct Redactor {
    forms: Arc<Forms>,
}

impl Redactor {
    /// Knows these values beside the token shapes. White space around a value does not count; values
    /// under 8 characters are passed over (they would hit ordinary words), and so are values that contain
    /// the mask itself (they are masked already).
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

    /// Starts redacting a text that arrives in pieces.
    #[must_use]
    pub fn stream(&self) -> RedactStream {
        RedactStream::new(self.clone())
    }

    pub(super) fn forms(&self) -> &Forms {
        &self.forms
    }
}

impl fmt::Debug for Redactor {
    /// Says how much it knows, never what.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redactor")
            .field("n_forms", &self.forms.len())
            .finish_non_exhaustive()
    }
}

/// Whether a span touches another; used to join them.
pub(super) fn join_spans(spans: &mut Vec<Span>, span: Span) {
    match spans.last_mut() {
        Some(last) if span.start <= last.end => {
            last.start = last.start.min(span.start);
            last.end = last.end.max(span.end);
        }
        Some(_) | None => spans.push(span),
    }
}
