//! Matches paths with the patterns of a user.

use globset::GlobBuilder;

/// Whether a pattern matches a path: a file, a folder with all its contents, or a glob in which `*` and `?` match
/// anything but `/`, and `**` any folders. An empty pattern matches nothing.
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
