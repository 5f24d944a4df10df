//! Helpers for untrusted text: hidden characters, and short one-line forms.

/// Whether a character has no width on a screen: Unicode's default ignorable characters (zero-width characters, soft
/// hyphens, direction marks, variation selectors, tags, fillers), and other format characters that are not drawn.
#[must_use]
pub fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{13430}'..='\u{1343f}'
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Whether a character changes the text direction.
#[must_use]
pub fn is_turning(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Whether a character selects the text or emoji style of the one before it. These are legitimate in texts and names.
#[must_use]
pub fn is_emoji_selector(c: char) -> bool {
    matches!(c, '\u{fe0e}' | '\u{fe0f}')
}

/// Whether some programs start a new line at this character.
#[must_use]
pub fn is_line_end(c: char) -> bool {
    matches!(c, '\n'..='\r' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Whether a character must not occur in a name or a line that people rely on: control characters, line breaks, and
/// invisible ones.
#[must_use]
pub fn is_hidden(c: char) -> bool {
    c.is_control() || is_line_end(c) || (is_invisible(c) && !is_emoji_selector(c))
}

/// The first characters of a text, without hidden ones.
#[must_use]
pub fn plain(text: &str, max_chars: usize) -> String {
    text.chars().filter(|c| !is_hidden(*c)).take(max_chars).collect()
}

/// The text on one line: white space becomes single spaces.
#[must_use]
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The start of a text, at most `max_bytes` long.
#[must_use]
pub fn first_bytes(text: &str, max_bytes: usize) -> &str {
    &text[..text.floor_char_boundary(max_bytes)]
}

/// The end of a text, at most `max_bytes` long.
#[must_use]
pub fn last_bytes(text: &str, max_bytes: usize) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(max_bytes))..]
}

/// The text, cut to `max_chars` characters and `…` if it is longer.
#[must_use]
pub fn shortened(text: &str, max_chars: usize) -> String {
    match text.char_indices().nth(max_chars) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.to_owned(),
    }
}

/// Maximum size of an excerpt, in bytes.
const EXCERPT_BYTES: usize = 300;

/// The start of a text for a message: on one line, without control characters, with `…` if it was cut.
#[must_use]
pub fn excerpt(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    let mut line = String::new();
    for word in words.filter(|word| !word.is_empty()) {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        if line.len() > EXCERPT_BYTES {
            line.truncate(line.floor_char_boundary(EXCERPT_BYTES));
            line.push('…');
            return line;
        }
    }
    if line.is_empty() {
        line.push_str("(nothing)");
    }
    line
}

#[cfg(test)]
mod tests;
