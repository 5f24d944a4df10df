//! Reads lines from an input that may be endless.

use std::io::{self, BufRead};

use crate::chat::message::MAX_BYTES;

/// One line, or why there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum InputLine {
    /// A line without its end.
    Words(String),
    /// A line that is longer than any message; its length in bytes.
    TooLong(usize),
    /// A line that is not text.
    NotText,
}

/// Reads until the input ends or `take` returns false.
pub(super) fn read(mut input: impl BufRead, mut take: impl FnMut(InputLine) -> bool) -> io::Result<()> {
    while let Some(line) = read_line(&mut input)? {
        if !take(line) {
            break;
        }
    }
    Ok(())
}

/// Reads a line; `None` at the end. For a line that is too long only its length is kept.
fn read_line(input: &mut impl BufRead) -> io::Result<Option<InputLine>> {
    let (mut line, mut n_bytes, mut is_there) = (Vec::new(), 0, false);
    loop {
        let part = match input.fill_buf() {
            Ok(part) => part,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if part.is_empty() {
            break;
        }
        is_there = true;
        let end = part.iter().position(|byte| *byte == b'\n');
        let words = &part[..end.unwrap_or(part.len())];
        n_bytes += words.len();
        if n_bytes <= MAX_BYTES {
            line.extend_from_slice(words);
        }
        let n_read = words.len() + usize::from(end.is_some());
        input.consume(n_read);
        if end.is_some() {
            break;
        }
    }
    Ok(is_there.then(|| {
        if n_bytes > MAX_BYTES {
            return InputLine::TooLong(n_bytes);
        }
        match String::from_utf8(line) {
            Ok(mut words) => {
                // Line ends of other systems have two characters.
                words.truncate(words.strip_suffix('\r').unwrap_or(&words).len());
                InputLine::Words(words)
            }
            Err(_) => InputLine::NotText,
        }
    }))
}
