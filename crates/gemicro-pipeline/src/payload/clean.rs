//! Frees an answer of what a terminal added: a byte order mark, escape sequences, line ends of other systems.
//!
//! Nothing else is removed: an escape character that begins no whole sequence stays, and makes unreadable what it
//! stands in.

const ESCAPE: char = '\u{1b}';
const BELL: char = '\u{7}';

/// Cleans an answer. Every character is looked at a fixed number of times.
pub(super) fn clean(output: &str) -> String {
    let output = output.strip_prefix('\u{feff}').unwrap_or(output);
    // A sequence may stand between the two halves of a line end, so line ends come second.
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
    while let Some(at) = rest.find(ESCAPE) {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        match sequence_length(rest) {
            Some(length) => rest = &rest[length..],
            None => {
                plain.push(ESCAPE);
                rest = &rest[ESCAPE.len_utf8()..];
            }
        }
    }
    plain.push_str(rest);
    plain
}

/// How many bytes the sequence at the beginning has; nothing when it is none, or not whole.
fn sequence_length(text: &str) -> Option<usize> {
    let body = &text[ESCAPE.len_utf8()..];
    if let Some(parameters) = body.strip_prefix('[') {
        let at = parameters.find(|c: char| !(' '..='?').contains(&c))?;
        parameters[at..]
            .starts_with(|c: char| c.is_ascii_alphabetic())
            .then_some(2 + at + 1)
    } else {
        let command = body.strip_prefix(']')?;
        // It ends on its line: one that runs on could hide a later answer.
        let at = command.find([BELL, ESCAPE, '\n', '\r'])?;
        if command[at..].starts_with(BELL) {
            Some(2 + at + 1)
        } else {
            command[at..].starts_with("\u{1b}\\").then_some(2 + at + 2)
        }
    }
}
