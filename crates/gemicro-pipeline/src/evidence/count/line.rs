//! Small readings of one line of output.

/// The output without colours, every line ending as `\n`.
pub(in super::super) fn plain(output: &str) -> String {
    let mut text = String::with_capacity(output.len());
    let mut chars = output.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' if chars.peek() == Some(&'[') => {
                chars.next();
                // Numbers and signs, then one letter; a sequence that is cut off ends before the next line.
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

/// The number with which a text starts, and the rest.
pub(super) fn number(text: &str) -> Option<(u64, &str)> {
    let text = text.trim_start();
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let number = text[..end].parse().ok()?;
    Some((number, &text[end..]))
}
