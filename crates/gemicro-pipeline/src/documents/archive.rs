//! Computes where the documents of a finished task are archived: `docs/dev_docs/archived/`.
//!
//! [`archive_path`] returns the path of one document, [`archive_moves`] the paths of all documents of a task, without
//! duplicates. This module moves no file.

use std::collections::BTreeMap;

use super::feature::Feature;

/// The folder of all documents.
const DOCUMENTS: &str = "docs/dev_docs/";
/// The folders whose documents are archived.
const FOLDERS: &[&str] = &["research", "plans", "reviews"];

/// Maximum number of archived documents with the same name; further ones are not moved.
const MOST_NUMBERS: u32 = 99;

/// One document on its way to the archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchiveMove {
    /// Path of the document before the move.
    pub from: String,
    /// Path in the archive, with its date.
    pub to: String,
}

/// Returns the path of a document in the archive. Its name holds the date (`2026-11-16`) and the feature, once.
///
/// `None` if the path is not an active document or the date is malformed.
pub fn archive_path(path: &str, feature: &Feature, date: &str) -> Option<String> {
    let (folder, rest) = path.strip_prefix(DOCUMENTS)?.split_once('/')?;
    let is_safe = |part: &str| !part.is_empty() && part != "." && part != "..";
    let is_odd = |c: char| c.is_control() || c == '\\';
    if !FOLDERS.contains(&folder) || !rest.split('/').all(is_safe) || rest.contains(is_odd) || !is_date(date)
    {
        return None;
    }
    let (inner, name) = match rest.rsplit_once('/') {
        Some((inner, name)) => (format!("{inner}/"), name),
        None => (String::new(), rest),
    };
    let feature = feature.underscored();
    let (stem, ending) = split_ending(name);
    let stem = without(stem, &feature);
    let separator = if stem.is_empty() { "" } else { "_" };
    Some(format!(
        "{DOCUMENTS}archived/{folder}/{inner}{date}_{feature}{separator}{stem}{ending}"
    ))
}

/// Plans the moves of all documents of a task. If a name is already taken, `_2`, `_3` and so on is appended.
///
/// Paths that are not active documents are skipped.
pub fn archive_moves(
    paths: &[String],
    feature: &Feature,
    date: &str,
    is_taken: impl Fn(&str) -> bool,
) -> Vec<ArchiveMove> {
    let mut moves: Vec<ArchiveMove> = Vec::new();
    for path in paths {
        let Some(place) = archive_path(path, feature, date) else {
            continue;
        };
        if moves.iter().any(|other| other.from == *path) {
            continue;
        }
        let is_free = |place: &String| !is_taken(place) && !moves.iter().any(|other| other.to == *place);
        let to = (1..=MOST_NUMBERS)
            .map(|number| numbered_path(&place, number))
            .find(is_free);
        if let Some(to) = to {
            moves.push(ArchiveMove {
                from: path.clone(),
                to,
            });
        }
    }
    moves
}

/// Maps each document to its archived path, as found among the `written` paths. The reverse of [`archive_moves`].
pub fn moved_to(
    documents: &[String],
    feature: &Feature,
    date: &str,
    written: &[String],
) -> BTreeMap<String, String> {
    let mut left: Vec<&String> = written.iter().collect();
    let mut moved = BTreeMap::new();
    for document in documents {
        let Some(place) = archive_path(document, feature, date) else {
            continue;
        };
        let is_it = |path: &&String| (1..=MOST_NUMBERS).any(|number| numbered_path(&place, number) == **path);
        if let Some(at) = left.iter().position(is_it) {
            moved.insert(document.clone(), left.remove(at).clone());
        }
    }
    moved
}

/// Inserts the number before the file extension; number 1 is left out.
fn numbered_path(place: &str, number: u32) -> String {
    if number == 1 {
        return place.to_owned();
    }
    let (folder, name) = place.rsplit_once('/').unwrap_or(("", place));
    let (stem, ending) = split_ending(name);
    format!("{folder}/{stem}_{number}{ending}")
}

/// Splits `plan.md` into `plan` and `.md`.
fn split_ending(name: &str) -> (&str, &str) {
    match name.rfind('.') {
        Some(at) if at > 0 => name.split_at(at),
        Some(_) | None => (name, ""),
    }
}

/// Removes the feature from a stem where it appears as whole words.
fn without(stem: &str, feature: &str) -> String {
    let padded = format!("_{stem}_");
    let shorter = padded.replacen(&format!("_{feature}_"), "_", 1);
    shorter.trim_matches('_').to_owned()
}

/// Returns true for dates like `2026-11-16`.
fn is_date(date: &str) -> bool {
    let parts: Vec<&str> = date.split('-').collect();
    let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
    lengths == [4, 2, 2] && parts.concat().bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests;
