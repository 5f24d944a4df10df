//! Which paths a plan may name.
//!
//! [`fault`] says what is wrong with one. It looks at the text alone, never at files.

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
    if path.contains(is_odd) {
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
        part if is_git(part) => Some("leads into `.git`"),
        _ => None,
    })
}

/// Characters that cannot be seen, or that turn the text round.
fn is_odd(c: char) -> bool {
    let is_invisible = matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{feff}')
        || ('\u{200b}'..='\u{200f}').contains(&c)
        || ('\u{2028}'..='\u{202e}').contains(&c)
        || ('\u{2060}'..='\u{206f}').contains(&c);
    c.is_control() || is_invisible
}

/// Whether some file system takes the part for `.git`: letter case, dots and spaces at the end, streams, short names.
fn is_git(part: &str) -> bool {
    let name = part.split(':').next().unwrap_or(part);
    let name = name.trim_end_matches(['.', ' ']).to_ascii_lowercase();
    matches!(name.as_str(), ".git" | "git~1")
}
