//! A file of questions: JSON lines with `id` and `question`, other fields ignored.

use std::fs;
use std::path::Path;

use gemicro_event::ErrorKind;
use serde::Deserialize;

use crate::command_error::CommandError;

/// Maximum size of the file; realistic lists of questions are far smaller.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// One question of the file.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct BatchQuestion {
    pub(super) id: String,
    pub(super) question: String,
}

/// Reads all questions; one invalid line rejects the file, before any work.
pub(super) fn read(path: &Path) -> Result<Vec<BatchQuestion>, CommandError> {
    let refuse = |why: String| {
        let message = format!("the questions in {} cannot be read: {why}", path.display());
        Err(CommandError::usage(
            message,
            "choose a file of JSON lines with --questions",
        ))
    };
    match fs::metadata(path) {
        Ok(found) if !found.is_file() => return refuse("it is not a file".to_owned()),
        Ok(found) if found.len() > MAX_BYTES => {
            return refuse(format!("{} bytes, at most {MAX_BYTES} are allowed", found.len()));
        }
        Ok(_) | Err(_) => {}
    }
    let text = fs::read_to_string(path).map_err(|error| {
        let kind = match error.kind() {
            std::io::ErrorKind::NotFound => ErrorKind::NotFound,
            std::io::ErrorKind::PermissionDenied => ErrorKind::PermissionDenied,
            _ => ErrorKind::InvalidInput,
        };
        let message = format!("the questions in {} cannot be read: {error}", path.display());
        CommandError::new_failure(kind, message, "check the path given with --questions")
    })?;
    let lines = text
        .trim_start_matches('\u{feff}')
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty());
    let questions: Result<Vec<BatchQuestion>, CommandError> = lines
        .map(|(idx, line)| {
            serde_json::from_str(line).map_err(|error| {
                let message = format!("{} line {}: {error}", path.display(), idx + 1);
                CommandError::usage(
                    message,
                    r#"each line is an object such as {"id": "q1", "question": "…"}"#,
                )
            })
        })
        .collect();
    match questions? {
        questions if questions.is_empty() => Err(CommandError::usage(
            format!("{} contains no questions", path.display()),
            "put one JSON object per line",
        )),
        questions => Ok(questions),
    }
}
