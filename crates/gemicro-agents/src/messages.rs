//! Reads everything an agent printed, message by message, from its output file.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use gemicro_event::Json;

/// Maximum size of the messages in an answer; the rest stays in the file.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// The messages; a line that is not JSON becomes a string.
pub(super) fn read(file: &Path) -> Vec<Json> {
    let Ok(file) = std::fs::File::open(file) else {
        return Vec::new();
    };
    let mut reader = BufReader::new(file.take(MAX_BYTES));
    let (mut messages, mut line) = (Vec::new(), Vec::new());
    while reader
        .read_until(b'\n', &mut line)
        .is_ok_and(|n_bytes| n_bytes > 0)
    {
        let text = String::from_utf8_lossy(&line);
        let text = text.trim_end();
        if !text.is_empty() {
            let message = Json::from_text(text).unwrap_or_else(|_| Json::from(serde_json::Value::from(text)));
            messages.push(message);
        }
        line.clear();
    }
    messages
}
