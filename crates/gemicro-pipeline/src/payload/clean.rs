//! Removes terminal artefacts from an answer: byte order mark, escape sequences, and non-Unix line ends.
//!
//! Nothing else is removed: an escape character without a complete sequence stays, and makes the JSON around it
//! invalid.

const ESCAPE: char = '\u{1b}';

/// Cleans an answer in linear time.
pub(super) fn clean(output: &str) -> String {
    let output = output.strip_prefix('\u{feff}').unwrap_or(output);
    // A sequence may split a line end, so line ends are handled second.
    let plain = without_sequences(output);
    if plain.contains('\r') {
        plain.replace("\r\n", "\n").replace('\r', "\n")
    } else {
        plain
    }
}

fn without_sequences(output: &str) -> String {
    let mut plain = String::with_capacity(output.len());
    let mut rest = output;
    let mut may_end = true;
    while let Some(at) = rest.find(ESCAPE) {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        let body = &rest[ESCAPE.len_utf8()..];
        let length = match body.chars().next() {
            Some('[') => control_length(body),
            // If one sequence has no end, later ones have none either, so the search runs only once.
            Some(']') if may_end => {
                let length = command_length(body);
                may_end = length.is_some();
                length
            }
            Some(_) | None => None,
        };
        if length.is_none() {
            plain.push(ESCAPE);
        }
        rest = &body[length.unwrap_or_default()..];
    }
    plain.push_str(rest);
    plain
}

/// Returns the length of `[ … letter` in bytes; `None` if it is incomplete.
fn control_length(body: &str) -> Option<usize> {
    let at = 1 + body[1..].find(|c: char| !(' '..='?').contains(&c))?;
    let is_letter = body[at..].starts_with(|c: char| c.is_ascii_alphabetic());
    is_letter.then_some(at + 1)
}

/// Returns the length of `] … BEL` or `] … ESC \` in bytes, across lines; `None` if it does not end.
fn command_length(body: &str) -> Option<usize> {
    let bytes = body.as_bytes();
    (0..bytes.len()).find_map(|at| match &bytes[at..] {
        [0x07, ..] => Some(at + 1),
        [0x1b, b'\\', ..] => Some(at + 2),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::clean;

    #[test]
    fn a_command_of_the_terminal_goes_to_its_end() {
        assert_eq!(clean("a\u{1b}]8;;x\nb\r\nc\u{7}d"), "ad");
        assert_eq!(clean("a\u{1b}]0;x\u{1b}[0m\ny\u{1b}\\d"), "ad");
        assert_eq!(clean("a\u{1b}]0;x\nb\u{1b}]c"), "a\u{1b}]0;x\nb\u{1b}]c");
        assert_eq!(clean("\u{1b}]0;x\u{7}a\u{1b}]b\u{1b}[1mc"), "a\u{1b}]bc");
    }
}
