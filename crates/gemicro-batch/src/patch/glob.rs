//! Patterns of paths that a user gives.

use globset::GlobBuilder;

/// Whether a path is meant by a pattern: a file, a folder with all that is in it, or a pattern in which `*` and `?`
/// stand for anything but `/`, and `**` for any folders. A pattern without a letter means nothing.
pub(crate) fn matches(pattern: &str, path: &str) -> bool {
    let pattern = pattern.trim();
    let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
    let folder = pattern.strip_suffix('/').unwrap_or(pattern);
    if folder.is_empty() {
        return false;
    }
    if !pattern.contains(['*', '?']) {
        let is_inside = path
            .strip_prefix(folder)
            .is_some_and(|rest| rest.starts_with('/'));
        return is_inside || path == pattern;
    }
    let inside = if pattern.ends_with('/') { "**" } else { "" };
    // Only `*` and `?` are special.
    let mut glob = String::new();
    for letter in format!("{pattern}{inside}").chars() {
        if "[]{}\\!".contains(letter) {
            glob.push('\\');
        }
        glob.push(letter);
    }
    let glob = GlobBuilder::new(&glob)
        .literal_separator(true)
        .backslash_escape(true)
        .build();
    glob.is_ok_and(|glob| glob.compile_matcher().is_match(path))
}
