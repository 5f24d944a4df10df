//! Paths in a tree, as people and settings write them: checks whether they are plain, and which are under a prefix.

/// Whether a path can be in a tree: relative, without empty parts, `.` and `..`, and not in git's own folder.
pub(super) fn is_plain(path: &str) -> bool {
    let is_bad = |part: &str| matches!(part, "" | "." | "..") || part.eq_ignore_ascii_case(".git");
    !path.contains('\0') && !path.split('/').any(is_bad)
}

/// Whether a prefix covers a path of a tree. `docs/` covers everything in the folder, so not a link of that name;
/// `docs` covers also itself. An empty prefix covers nothing.
pub(super) fn covers(prefix: &str, path: &[u8]) -> bool {
    let folder = prefix.trim_end_matches('/');
    match path.strip_prefix(folder.as_bytes()) {
        Some(rest) if !folder.is_empty() => match rest {
            [] => folder.len() == prefix.len(),
            [first, ..] => *first == b'/',
        },
        Some(_) | None => false,
    }
}
