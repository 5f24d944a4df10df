//! Reads and writes events as JSON lines.

use std::io::{self, BufRead, Write};

use crate::Event;

/// A line is not an event.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LineError {
    /// Reading from the stream failed.
    #[error("line {line} could not be read")]
    Io {
        /// Number of the line, counted from 1.
        line: usize,
        /// The error of the operating system.
        #[source]
        source: io::Error,
    },
    /// The text is not an event object.
    #[error("line {line} is not an event: {message}")]
    Malformed {
        /// Number of the line, counted from 1.
        line: usize,
        /// The problem, with its column.
        message: String,
    },
}

/// Writes one event and a line break. JSON escapes every control character, so no text can forge a line.
///
/// # Errors
/// When the writer fails.
pub fn write_line(writer: &mut impl Write, event: &Event) -> io::Result<()> {
    let mut line = serde_json::to_vec(event)?;
    line.push(b'\n');
    writer.write_all(&line)
}

/// Reads one line.
///
/// # Errors
/// When the text is not an event object; the error says what is missing or invalid.
pub fn read_line(text: &str) -> Result<Event, serde_json::Error> {
    serde_json::from_str(text)
}

/// Reads events until the end; blank lines are skipped.
pub fn read_lines(reader: impl BufRead) -> impl Iterator<Item = Result<Event, LineError>> {
    reader.lines().enumerate().filter_map(|(idx, text)| {
        let line = idx + 1;
        match text {
            Err(source) => Some(Err(LineError::Io { line, source })),
            Ok(text) if text.trim().is_empty() => None,
            Ok(text) => Some(read_line(&text).map_err(|error| LineError::Malformed {
                line,
                message: without_line(&error),
            })),
        }
    })
}

/// Describes an error by its column alone: the text is one line, so the line in the error is always 1.
fn without_line(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    match text.strip_suffix(&place) {
        Some(reason) => format!("{reason} (column {})", error.column()),
        None => text,
    }
}
