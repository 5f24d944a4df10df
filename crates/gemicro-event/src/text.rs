//! Text from somewhere else: which of its characters cannot be seen, and how it becomes one short line.

/// Whether a character takes no room on a screen: Unicode's default ignorable characters (zero-width characters, soft
/// hyphens, direction marks, variation selectors, tags, fillers), and the other format characters that are not drawn.
#[must_use]
pub fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{13430}'..='\u{1343f}'
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Whether a character changes the direction in which others are written.
#[must_use]
pub fn is_turning(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Whether a character selects how the one before it is drawn, as text or as an emoji. Honest texts and names have them.
#[must_use]
pub fn is_emoji_selector(c: char) -> bool {
    matches!(c, '\u{fe0e}' | '\u{fe0f}')
}

/// Whether some reader starts a new line at a character.
#[must_use]
pub fn is_line_end(c: char) -> bool {
    matches!(c, '\n'..='\r' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Whether a character has no place in a name or a line that people rely on: control characters, line ends, and
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

/// The text on one line: white space becomes single blanks.
#[must_use]
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The beginning of a text, up to so many bytes.
#[must_use]
pub fn first_bytes(text: &str, max_bytes: usize) -> &str {
    &text[..text.floor_char_boundary(max_bytes)]
}

/// The end of a text, up to so many bytes.
#[must_use]
pub fn last_bytes(text: &str, max_bytes: usize) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(max_bytes))..]
}

/// The text, or so many characters of it and `…`.
#[must_use]
pub fn shortened(text: &str, max_chars: usize) -> String {
    match text.char_indices().nth(max_chars) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.to_owned(),
    }
}

/// Bytes of an excerpt.
const EXCERPT_BYTES: usize = 300;

/// The beginning of a text for a message: on one line, without control characters, `…` where it was cut.
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
