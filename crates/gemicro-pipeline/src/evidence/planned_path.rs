//! Checks the paths in a plan.
//!
//! [`fault`] returns what is wrong with a path. It examines only the text, not the file system.

use gemicro_event::text::is_hidden;
use gemicro_guard::is_git_folder;

/// Maximum length of a path.
const MAX_PATH_BYTES: usize = 1_024;

/// Returns what is wrong with the path of a file in the repository, or `None` if it is valid.
pub(super) fn fault(path: &str) -> Option<&'static str> {
    if path.is_empty() {
        return Some("is empty");
    }
    if path.len() > MAX_PATH_BYTES {
        return Some("is longer than 1024 bytes");
    }
    if path.contains(is_hidden) {
        return Some("has control or invisible characters");
    }
    if path.contains('\\') {
        return Some("has a backslash");
    }
    if path.starts_with('/') || path.as_bytes().get(1) == Some(&b':') {
        return Some("is absolute");
    }
    if path.ends_with('/') {
        return Some("names a folder");
    }
    if path.trim() != path {
        return Some("starts or ends with a space");
    }
    path.split('/').find_map(|part| match part {
        "" => Some("has an empty part"),
        "." => Some("has a part `.`"),
        ".." => Some("contains `..`"),
        part if is_git_folder(part) => Some("is inside `.git`"),
        _ => None,
    })
}
