//! Parses one value: objects, arrays, literals, and the white space and comments between them.
//!
//! The main type is [`JsonReader`]. It descends at most [`MAX_DEPTH`] levels, and reads every byte once.

use serde_json::{Map, Number, Value};

use super::text;

/// Maximum size of a value, in bytes of UTF-8.
pub(in crate::payload) const MAX_BYTES: usize = 64 * 1024;

/// Maximum nesting depth; the outermost value is level 1.
const MAX_DEPTH: usize = 64;

/// The text is not a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::payload) struct Unreadable {
    /// Bytes read before the error.
    pub(in crate::payload) n_bytes_read: usize,
}

/// Parses a text that is a single value, with white space and comments around it.
///
/// # Errors
/// When it is not, or is too long.
pub(in crate::payload) fn read_whole(body: &str) -> Result<Value, Unreadable> {
    if body.len() > MAX_BYTES {
        return Err(Unreadable { n_bytes_read: 0 });
    }
    let mut reader = JsonReader::new(body);
    let read = reader.whole();
    read.ok_or(Unreadable {
        n_bytes_read: reader.at,
    })
}

/// Parses the value that a text starts with, and returns its length in bytes.
///
/// # Errors
/// When there is no complete value.
pub(in crate::payload) fn read_first(text: &str) -> Result<(Value, usize), Unreadable> {
    let mut reader = JsonReader::new(text);
    let read = reader.value(1);
    let n_bytes_read = reader.at;
    read.map(|value| (value, n_bytes_read))
        .ok_or(Unreadable { n_bytes_read })
}

/// A position in a text. A method that fails leaves the position where it failed.
pub(super) struct JsonReader<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
}

impl<'a> JsonReader<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// The next byte, not yet consumed.
    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// The remaining text. Call only at a character boundary.
    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Consumes these characters if they come next.
    pub(super) fn take(&mut self, expected: &str) -> bool {
        let is_next = self.text.as_bytes()[self.at..].starts_with(expected.as_bytes());
        if is_next {
            self.at += expected.len();
        }
        is_next
    }

    fn whole(&mut self) -> Option<Value> {
        self.take("\u{feff}");
        self.skip_space()?;
        let value = self.value(1)?;
        self.skip_space()?;
        (self.at == self.text.len()).then_some(value)
    }

    fn value(&mut self, level: usize) -> Option<Value> {
        match self.peek()? {
            b'{' | b'[' if level > MAX_DEPTH => None,
            b'{' => self.object(level).map(Value::Object),
            b'[' => self.array(level).map(Value::Array),
            b'-' | b'0'..=b'9' => self.number().map(Value::Number),
            b't' => self.take("true").then_some(Value::Bool(true)),
            b'f' => self.take("false").then_some(Value::Bool(false)),
            b'n' => self.take("null").then_some(Value::Null),
            _ => text::read(self).map(Value::String),
        }
    }

    /// Parses an integer if it fits, otherwise a double; larger numbers are refused.
    fn number(&mut self) -> Option<Number> {
        let start = self.at;
        while self
            .peek()
            .is_some_and(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte))
        {
            self.at += 1;
        }
        self.text[start..self.at].parse().ok()
    }

    fn object(&mut self, level: usize) -> Option<Map<String, Value>> {
        self.at += 1;
        let mut members = Map::new();
        self.skip_space()?;
        while !self.take("}") {
            let key = text::read(self)?;
            if members.contains_key(&key) {
                return None;
            }
            self.skip_space()?;
            if !self.take(":") {
                return None;
            }
            self.skip_space()?;
            members.insert(key, self.value(level + 1)?);
            self.skip_space()?;
            if self.take(",") {
                self.skip_space()?;
            } else if self.peek() != Some(b'}') {
                return None;
            }
        }
        Some(members)
    }

    fn array(&mut self, level: usize) -> Option<Vec<Value>> {
        self.at += 1;
        let mut items = Vec::new();
        self.skip_space()?;
        while !self.take("]") {
            items.push(self.value(level + 1)?);
            self.skip_space()?;
            if self.take(",") {
                self.skip_space()?;
            } else if self.peek() != Some(b']') {
                return None;
            }
        }
        Some(items)
    }

    /// Skips white space and comments; fails in an unclosed comment.
    fn skip_space(&mut self) -> Option<()> {
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | b'\n') => self.at += 1,
                Some(b'/') if self.take("//") => {
                    self.at += self.rest().find('\n').unwrap_or(self.rest().len());
                }
                Some(b'/') if self.take("/*") => match self.rest().find("*/") {
                    Some(length) => self.at += length + 2,
                    None => {
                        self.at = self.text.len();
                        return None;
                    }
                },
                _ => return Some(()),
            }
        }
    }
}
