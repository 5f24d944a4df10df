//! Removes an agent's thoughts before its answer.
//!
//! Only tags at the beginning count, and text before a closing tag on its own line; elsewhere the same tags are plain
//! text.

const NAMES: [&str; 4] = ["think", "thinking", "thought", "reasoning"];

/// Returns the part of a cleaned answer after the thoughts.
pub(super) fn without_thoughts(text: &str) -> &str {
    let mut rest = text;
    while let Some(name) = opening_tag(rest) {
        let closing = format!("</{name}>");
        match rest.find(&closing) {
            Some(at) => rest = &rest[at + closing.len()..],
            // The thoughts never end.
            None => return "",
        }
    }
    after_last_closing_line(rest)
}

fn opening_tag(text: &str) -> Option<&'static str> {
    let inner = text.trim_start().strip_prefix('<')?;
    NAMES.into_iter().find(|name| {
        inner
            .strip_prefix(name)
            .is_some_and(|after| after.starts_with('>'))
    })
}

fn after_last_closing_line(text: &str) -> &str {
    let mut kept = text;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        at += line.len();
        if is_closing(line.strip_suffix('\n').unwrap_or(line)) {
            kept = &text[at..];
        }
    }
    kept
}

fn is_closing(line: &str) -> bool {
    let name = line.strip_prefix("</").and_then(|rest| rest.strip_suffix('>'));
    name.is_some_and(|name| NAMES.contains(&name))
}
