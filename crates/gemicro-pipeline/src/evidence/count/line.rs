//! Helpers to read lines of output.

/// Removes colour codes and normalises line ends to `\n`.
pub(in super::super) fn plain(output: &str) -> String {
    let mut text = String::with_capacity(output.len());
    let mut chars = output.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' if chars.peek() == Some(&'[') => {
                chars.next();
                // Parameters, then one final character. A truncated sequence ends at the next line.
                while chars.next_if(|c| ('\u{20}'..='\u{3f}').contains(c)).is_some() {}
                chars.next_if(|c| ('\u{40}'..='\u{7e}').contains(c));
            }
            '\r' if chars.peek() != Some(&'\n') => text.push('\n'),
            '\r' => {}
            c => text.push(c),
        }
    }
    text
}

/// Splits off the number that a text starts with.
pub(super) fn number(text: &str) -> Option<(u64, &str)> {
    let text = text.trim_start();
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let number = text[..end].parse().ok()?;
    Some((number, &text[end..]))
}
