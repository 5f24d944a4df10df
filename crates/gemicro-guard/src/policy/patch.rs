//! The paths that a patch touches: Codex' `*** Update File:` form and unified diffs.

/// The headers of Codex' form that name a path.
const HEADERS: &[&str] = &[
    "*** Add File:",
    "*** Update File:",
    "*** Delete File:",
    "*** Move to:",
    "*** Move File:",
];
/// The lines of git's form that name a path.
const GIT_LINES: &[&str] = &["rename from ", "rename to ", "copy from ", "copy to "];

/// Every path of a patch, as written.
pub(super) fn paths(patch: &str) -> Vec<String> {
    patch.lines().flat_map(|line| path(line.trim_end())).collect()
}

fn path(line: &str) -> Option<String> {
    let start = line.trim_start();
    if let Some(name) = HEADERS.iter().find_map(|header| start.strip_prefix(header)) {
        return Some(name.trim().to_owned());
    }
    if let Some(name) = GIT_LINES.iter().find_map(|header| line.strip_prefix(header)) {
        return Some(name.to_owned());
    }
    let name = line.strip_prefix("+++ ").or_else(|| line.strip_prefix("--- "))?;
    let name = name.split('\t').next().unwrap_or_default().trim_matches('"');
    if name == "/dev/null" {
        return None;
    }
    let stripped = name.strip_prefix("a/").or_else(|| name.strip_prefix("b/"));
    Some(stripped.unwrap_or(name).to_owned())
}
