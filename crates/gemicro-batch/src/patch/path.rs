//! Checks the paths in a patch.

use gemicro_event::text::is_hidden;
use gemicro_guard::is_git_folder;

/// Maximum length of a path, in bytes.
pub const MAX_PATH_BYTES: usize = 1_024;
/// Maximum length of one path component in bytes, as in common file systems.
const MAX_PART_BYTES: usize = 255;

/// A path that is not allowed in a patch.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the path `{path}` {why}; name files relative to the project")]
pub struct PathError {
    /// The path, with control characters escaped, cut if it is very long.
    pub path: String,
    /// The problem, as a phrase.
    pub why: &'static str,
}

/// Checks that a path stays inside the project and outside `.git`.
///
/// # Errors
/// When it is absolute, contains `..`, empty parts, backslashes or control characters, names `.git` in any spelling
/// that some file system accepts, or is too long.
pub fn check_path(path: &str) -> Result<(), PathError> {
    match offence(path) {
        None => Ok(()),
        Some(why) => Err(PathError {
            path: path.chars().take(200).flat_map(char::escape_debug).collect(),
            why,
        }),
    }
}

fn offence(path: &str) -> Option<&'static str> {
    if path.is_empty() {
        return Some("is empty");
    }
    if path.len() > MAX_PATH_BYTES {
        return Some("is too long");
    }
    if path.contains(is_hidden) {
        return Some("has control or invisible characters");
    }
    if path.contains('\\') {
        return Some("has a backslash");
    }
    if path.starts_with('/') || has_drive(path) {
        return Some("is absolute");
    }
    path.split('/').find_map(part_offence)
}

fn part_offence(part: &str) -> Option<&'static str> {
    match part {
        "" => Some("has an empty part"),
        "." => Some("has a part `.`"),
        ".." => Some("contains `..`"),
        part if part.len() > MAX_PART_BYTES => Some("has a part that is too long"),
        part if is_git_folder(part) => Some("leads into `.git`"),
        _ => None,
    }
}

fn has_drive(path: &str) -> bool {
    matches!(path.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic())
}
