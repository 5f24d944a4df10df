//! Values as MiniZinc reads them.

use std::fmt::{Display, Write};

/// Data for MiniZinc: one assignment after another.
#[derive(Debug, Default)]
pub(super) struct DznText {
    text: String,
}

impl DznText {
    /// A comment on a line of its own.
    pub(super) fn comment(&mut self, words: &str) {
        let _ = writeln!(self.text, "% {words}");
    }

    /// Writes `name = value;` on a line.
    pub(super) fn number(&mut self, name: &str, value: impl Display) {
        let _ = writeln!(self.text, "{name} = {value};");
    }

    /// `name = [1, 2];`
    pub(super) fn numbers<N: Display>(&mut self, name: &str, values: impl IntoIterator<Item = N>) {
        let _ = write!(self.text, "{name} = [");
        for (idx, value) in values.into_iter().enumerate() {
            let comma = if idx == 0 { "" } else { ", " };
            let _ = write!(self.text, "{comma}{value}");
        }
        self.text.push_str("];\n");
    }

    /// `name = ["a", "b"];`
    pub(super) fn strings<'s>(&mut self, name: &str, values: impl IntoIterator<Item = &'s str>) {
        self.numbers(name, values.into_iter().map(quoted));
    }

    pub(super) fn finish(self) -> String {
        self.text
    }
}

/// A string with its quotes. A backslash never stands alone, so that nothing in it is read as an expression; a character
/// that would end the line or the string has its escape, and other control characters their number.
fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for char in text.chars() {
        match char {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            // MiniZinc ends a string there.
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
