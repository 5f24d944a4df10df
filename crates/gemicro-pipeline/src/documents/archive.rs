//! Where documents go when their task is done: `docs/dev_docs/archive_path/`.
//!
//! [`archive_path`] names the place of one document, [`archive_moves`] those of all documents of a task, no two alike. Nothing
//! is moved here.

use std::collections::BTreeMap;

use super::feature::Feature;

/// The folder of all documents.
const DOCUMENTS: &str = "docs/dev_docs/";
/// The folders whose documents are archived.
const FOLDERS: &[&str] = &["research", "plans", "reviews"];

/// Documents of one name that are told apart.
const MOST_NUMBERS: u32 = 99;

/// One document on its way to the archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchiveMove {
    /// Path of the document before the move.
    pub from: String,
    /// Path in the archive, with its date.
    pub to: String,
}

/// The place of a document in the archive, with the date (`2026-11-16`) and the feature once in its name.
///
/// Nothing for a path that is no active document, and for a text that is no date.
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

/// The moves of all documents of a task; a name that is taken, here or in the archive, gets `_2`, `_3`, and so on.
///
/// Paths that are no active documents are left where they are.
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

/// Where documents are after some paths were written: those of [`archive_moves`] among them.
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

/// The place with a number before its ending, from the second on.
fn numbered_path(place: &str, number: u32) -> String {
    if number == 1 {
        return place.to_owned();
    }
    let (folder, name) = place.rsplit_once('/').unwrap_or(("", place));
    let (stem, ending) = split_ending(name);
    format!("{folder}/{stem}_{number}{ending}")
}

/// `plan.md` as `plan` and `.md`.
fn split_ending(name: &str) -> (&str, &str) {
    match name.rfind('.') {
        Some(at) if at > 0 => name.split_at(at),
        Some(_) | None => (name, ""),
    }
}

/// A stem without the feature, where that stands as whole words.
fn without(stem: &str, feature: &str) -> String {
    let padded = format!("_{stem}_");
    let shorter = padded.replacen(&format!("_{feature}_"), "_", 1);
    shorter.trim_matches('_').to_owned()
}

/// Whether it has the form `2026-11-16`.
fn is_date(date: &str) -> bool {
    let parts: Vec<&str> = date.split('-').collect();
    let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
    lengths == [4, 2, 2] && parts.concat().bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests;
