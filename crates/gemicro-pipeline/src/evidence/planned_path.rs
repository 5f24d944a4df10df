//! Which paths a plan may name.
//!
//! [`fault`] says what is wrong with one. It looks at the text alone, never at files.

use gemicro_event::text::is_hidden;
use gemicro_guard::is_git_folder;

/// Bytes of a path.
const MAX_PATH_BYTES: usize = 1_024;

/// What is wrong with the path of a file in the repository; nothing when it is fine.
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
        ".." => Some("goes up with `..`"),
        part if is_git_folder(part) => Some("leads into `.git`"),
        _ => None,
    })
}
