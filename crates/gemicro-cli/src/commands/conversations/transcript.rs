//! Reads a file of turns; every error names the file and the line.

use std::fs::File;
use std::io::{self, Read};

use gemicro_core::history::{ConversationLog, TranscriptError, read_transcript};

use crate::command_error::CommandError;
use crate::screen::numbers;

/// Maximum length of a line. No model reads a longer message.
const MAX_LINE_BYTES: usize = 8_000_000;

/// Maximum size of the file; it is stored in one transaction.
const MAX_FILE_BYTES: usize = 64_000_000;

const SHAPE: &str =
    "each line is {\"turn\": 1, \"role\": \"user\", \"text\": \"…\"}; docs/conversations.md describes it";

/// Reads the turns of a file, or of stdin for `-`.
pub(super) fn read_turns(file: &str) -> Result<ConversationLog, CommandError> {
    let name = if file == "-" { "stdin" } else { file };
    let bytes = match file {
        "-" => read_bounded(io::stdin().lock()),
        path => File::open(path).and_then(read_bounded),
    };
    let bytes = bytes.map_err(|error| {
        CommandError::usage(
            format!("{name} cannot be read: {error}"),
            "choose a file of turns, or - for stdin",
        )
    })?;
    parse_turns(name, &bytes)
}

fn parse_turns(name: &str, bytes: &[u8]) -> Result<ConversationLog, CommandError> {
    let at = |line: usize, what: &str, hint: &str| {
        Err(CommandError::usage(format!("{name}:{line}: {what}"), hint))
    };
    for (idx, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        if line.len() > MAX_LINE_BYTES {
            let what = format!(
                "this turn is too long: a turn may have {}",
                numbers::bytes(MAX_LINE_BYTES as u64)
            );
            return at(idx + 1, &what, "shorten it, or split it into several turns");
        }
    }
    if bytes.len() > MAX_FILE_BYTES {
        let limit = numbers::bytes(MAX_FILE_BYTES as u64);
        return Err(CommandError::usage(
            format!("{name} is too large: a conversation may have {limit}"),
            "import it in parts",
        ));
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.strip_prefix('\u{feff}').unwrap_or(text),
        Err(error) => {
            let n_lines = bytes[..error.valid_up_to()].split(|byte| *byte == b'\n').count();
            return at(n_lines, "this line is not UTF-8", "save the file as UTF-8");
        }
    };
    match read_transcript(text) {
        Ok(log) if log.is_empty() => Err(CommandError::usage(format!("{name} has no turns"), SHAPE)),
        Ok(log) => Ok(log),
        Err(error) => at(error.line(), &describe_error(&error), SHAPE),
    }
}

/// Describes the error in a line, without its number.
fn describe_error(error: &TranscriptError) -> String {
    let prefix = format!("line {} ", error.line());
    let text = error.to_string();
    let text = format!("this line {}", text.strip_prefix(&prefix).unwrap_or(&text));
    match error {
        TranscriptError::NotATurn { source, .. } => {
            // JSON is parsed line by line, so its own "line 1" would mislead.
            let place = format!(" at line {} column {}", source.line(), source.column());
            let reason = source.to_string();
            let reason = reason.strip_suffix(&place).unwrap_or(&reason);
            format!("{text}: {reason} (column {})", source.column())
        }
        _ => text,
    }
}

/// All bytes, or slightly more than allowed.
fn read_bounded(reader: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(MAX_FILE_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}
