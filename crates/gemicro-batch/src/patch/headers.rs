//! Parses the lines before the hunks: file names, modes and refused changes.

use super::error::RefusedChange;

/// One side of a changed file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FileSide {
    /// `/dev/null`: the file does not exist.
    Nothing,
    /// A path, with its prefix if it has one.
    Path(String),
}

/// The file that the two sides name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NamedFile {
    pub(super) path: String,
    pub(super) is_new: bool,
    /// Set if the names alone show a refused change.
    pub(super) refused: Option<RefusedChange>,
}

impl FileSide {
    /// Parses the text after `--- ` or `+++ `.
    pub(super) fn read(text: &str) -> Self {
        let path = match unquote_name(text) {
            Some((path, _)) => path,
            // A tab and a date may follow.
            None => text.split('\t').next().unwrap_or_default().trim_end().to_owned(),
        };
        if path == "/dev/null" {
            Self::Nothing
        } else {
            Self::Path(path)
        }
    }
}

/// The file that the two sides name. Either name may have its prefix, `a/` or `b/`.
pub(super) fn named_file(old: &FileSide, new: &FileSide) -> NamedFile {
    let (path, is_new, refused) = match (old, new) {
        (FileSide::Nothing, FileSide::Nothing) => ("/dev/null", false, Some(RefusedChange::Delete)),
        (FileSide::Path(old), FileSide::Nothing) => (without(old, "a/"), false, Some(RefusedChange::Delete)),
        (FileSide::Nothing, FileSide::Path(new)) => (without(new, "b/"), true, None),
        (FileSide::Path(old), FileSide::Path(new)) => {
            let (bare_old, bare_new) = (without(old, "a/"), without(new, "b/"));
            if old == new {
                (old.as_str(), false, None)
            } else if bare_old == bare_new {
                (bare_old, false, None)
            } else {
                (bare_new, false, Some(RefusedChange::Rename))
            }
        }
    };
    NamedFile {
        path: path.to_owned(),
        is_new,
        refused,
    }
}

/// The sides in a line `diff --git a/x b/x`; `rest` is the text after `diff --git `.
pub(super) fn git_sides(rest: &str) -> (FileSide, FileSide) {
    if let Some((old, after)) = unquote_name(rest) {
        return (FileSide::Path(old), FileSide::read(after.trim_start()));
    }
    // Names may contain spaces: split where both halves name the same file.
    let mut halves = rest
        .match_indices(' ')
        .map(|(at, _)| (&rest[..at], &rest[at + 1..]));
    let same = halves.find(|(old, new)| without(old, "a/") == without(new, "b/"));
    let (old, new) = same.or_else(|| rest.split_once(' ')).unwrap_or((rest, rest));
    (FileSide::read(old), FileSide::read(new))
}

/// The meaning of a line between `diff --git` and the hunks.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ExtendedHeader {
    Plain,
    /// The file is new.
    New,
    /// A change that is not allowed.
    Refused(RefusedChange),
}

/// Parses a line between `diff --git` and the hunks.
pub(super) fn read_extended(line: &str) -> ExtendedHeader {
    let after = |what: &str| line.strip_prefix(what).map(str::trim);
    if let Some(mode) = after("new file mode ") {
        return match mode {
            "100644" => ExtendedHeader::New,
            mode => ExtendedHeader::Refused(refused_mode(mode)),
        };
    }
    if let Some(mode) = after("new mode ").or_else(|| after("old mode ")) {
        return ExtendedHeader::Refused(refused_mode(mode));
    }
    if let Some((_, mode)) = after("index ").and_then(|rest| rest.split_once(' ')) {
        return match mode {
            "100644" | "100755" => ExtendedHeader::Plain,
            mode => ExtendedHeader::Refused(refused_mode(mode)),
        };
    }
    let begins = |starts: &[&str]| starts.iter().any(|start| line.starts_with(start));
    if begins(&["deleted file mode "]) {
        ExtendedHeader::Refused(RefusedChange::Delete)
    } else if begins(&["rename from ", "rename to ", "copy from ", "copy to "]) {
        ExtendedHeader::Refused(RefusedChange::Rename)
    } else if begins(&["GIT binary patch", "Binary files "]) {
        ExtendedHeader::Refused(RefusedChange::Binary)
    } else {
        ExtendedHeader::Plain
    }
}

fn refused_mode(mode: &str) -> RefusedChange {
    match mode {
        "120000" => RefusedChange::SymbolicLink,
        "160000" => RefusedChange::Submodule,
        mode => RefusedChange::Mode(mode.chars().take(20).collect()),
    }
}

fn without<'a>(path: &'a str, prefix: &str) -> &'a str {
    path.strip_prefix(prefix).unwrap_or(path)
}

/// A name in quotes, as git writes unusual ones, and the text after it.
fn unquote_name(text: &str) -> Option<(String, &str)> {
    let inside = text.strip_prefix('"')?;
    let mut bytes = Vec::new();
    let mut rest = inside.as_bytes();
    loop {
        rest = match rest {
            [b'"', after @ ..] => {
                let after = &inside[inside.len() - after.len()..];
                return Some((String::from_utf8(bytes).ok()?, after));
            }
            [
                b'\\',
                a @ b'0'..=b'3',
                b @ b'0'..=b'7',
                c @ b'0'..=b'7',
                after @ ..,
            ] => {
                bytes.push((a - b'0') * 64 + (b - b'0') * 8 + (c - b'0'));
                after
            }
            [b'\\', letter, after @ ..] => {
                bytes.push(match letter {
                    b'n' => b'\n',
                    b't' => b'\t',
                    b'r' => b'\r',
                    other => *other,
                });
                after
            }
            [byte, after @ ..] => {
                bytes.push(*byte);
                after
            }
            [] => return None,
        };
    }
}
