//! Writes values in MiniZinc syntax.

use std::fmt::{Display, Write};

/// MiniZinc data: one assignment after another.
#[derive(Debug, Default)]
pub(super) struct DznText {
    text: String,
}

impl DznText {
    /// Writes a comment on its own line.
    pub(super) fn comment(&mut self, words: &str) {
        let _ = writeln!(self.text, "% {words}");
    }

    /// Writes `name = value;` on a line.
    pub(super) fn number(&mut self, name: &str, value: impl Display) {
        let _ = writeln!(self.text, "{name} = {value};");
    }

    /// Writes `name = [1, 2];`.
    pub(super) fn numbers<N: Display>(&mut self, name: &str, values: impl IntoIterator<Item = N>) {
        let _ = write!(self.text, "{name} = [");
        for (idx, value) in values.into_iter().enumerate() {
            let comma = if idx == 0 { "" } else { ", " };
            let _ = write!(self.text, "{comma}{value}");
        }
        self.text.push_str("];\n");
    }

    /// Writes `name = ["a", "b"];`.
    pub(super) fn strings<'s>(&mut self, name: &str, values: impl IntoIterator<Item = &'s str>) {
        self.numbers(name, values.into_iter().map(quoted));
    }

    pub(super) fn finish(self) -> String {
        self.text
    }
}

/// Quotes a string. Backslashes are doubled, so that nothing in it is read as an expression; characters that would
/// end the line or the string, and other control characters, are escaped.
fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for char in text.chars() {
        match char {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            // MiniZinc ends a string at NUL.
            '\0' => quoted.push('\u{fffd}'),
            char if char.is_ascii_control() => {
                let _ = write!(quoted, "\\x{:02x}", u32::from(char));
            }
            char => quoted.push(char),
        }
    }
    quoted.push('"');
    quoted
}
