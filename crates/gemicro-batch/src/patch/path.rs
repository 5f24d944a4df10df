//! Which paths a patch may name.

use gemicro_event::text::is_hidden;
use gemicro_guard::is_git_folder;

/// Bytes of a path.
pub const MAX_PATH_BYTES: usize = 1_024;
/// Bytes of one part of a path: more no usual file system takes.
const MAX_PART_BYTES: usize = 255;

/// A path that no patch may name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the path `{path}` {why}; name files relative to the project")]
pub struct PathError {
    /// The path, control characters made visible, cut where it is very long.
    pub path: String,
    /// What is wrong with it.
    pub why: &'static str,
}

/// Checks that a path stays inside the project and out of what belongs to git.
///
/// # Errors
/// When it is absolute, goes up, has empty parts, backslashes or control characters, names `.git` in any spelling
/// that some file system takes for it, or is too long.
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
        ".." => Some("goes up with `..`"),
        part if part.len() > MAX_PART_BYTES => Some("has a part that is too long"),
        part if is_git_folder(part) => Some("leads into `.git`"),
        _ => None,
    }
}

fn has_drive(path: &str) -> bool {
    matches!(path.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic())
}
