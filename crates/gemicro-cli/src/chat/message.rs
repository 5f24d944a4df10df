//! Checks and cleans a message before it is sent.

use std::borrow::Cow;

use crate::screen::numbers;

/// Maximum length of a message in bytes.
pub(super) const MAX_BYTES: usize = 1 << 20;

/// The result of checking a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum CheckedText {
    Empty,
    /// It is too long to be sent: the reason, and what to do.
    TooLong(String),
    /// It can be sent.
    Fine(String),
}

/// Checks a text that is already clean.
pub(super) fn check(text: &str) -> CheckedText {
    // Spaces at the beginning may be intended; empty lines are not.
    let text = text.trim_end().trim_start_matches('\n');
    match text.len() {
        0 => CheckedText::Empty,
        n if n > MAX_BYTES => CheckedText::TooLong(too_long(n)),
        _ => CheckedText::Fine(text.to_owned()),
    }
}

/// The error for a message of this length.
pub(super) fn too_long(n_bytes: usize) -> String {
    format!(
        "not sent: the message has {} bytes, at most {} are allowed; put it in a file and mention the file",
        numbers::thousands(n_bytes as u64),
        numbers::thousands(MAX_BYTES as u64)
    )
}

/// The text without control characters other than line ends and tabs, and a message if there were any.
pub(super) fn clean(text: &str) -> (Cow<'_, str>, Option<String>) {
    let is_out = |c: char| c.is_control() && c != '\n' && c != '\t';
    if !text.contains(is_out) {
        return (Cow::Borrowed(text), None);
    }
    // Line ends of other systems do not count as control characters.
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let n_out = text.chars().filter(|c| is_out(*c)).count();
    let notice = (n_out > 0).then(|| format!("{} removed", numbers::count(n_out, "control character")));
    (Cow::Owned(text.replace(is_out, "")), notice)
}
