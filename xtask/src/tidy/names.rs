//! Rejects meaningless names of files, folders, modules and types.

use super::file_place::{self};
use super::offence::Offence;
use super::rust_code::RustCode;
use crate::repository::SourceFile;

const NAMES: &[&str] = &[
    "utils", "util", "common", "misc", "shared", "manager", "imp", "helpers", "handler",
];

/// An exception, because the user's own documents use this name.
const MANAGER: &str = "HistoryManager";

/// Checks the path, the `mod` lines and the types of one Rust file.
pub(crate) fn check(file: &SourceFile) -> Vec<Offence> {
    if file_place::of(&file.path).package.is_empty() {
        return Vec::new();
    }
    let mut offences = Vec::new();
    let stem = file.path.strip_suffix(".rs").unwrap_or(&file.path);
    for part in stem.split('/').filter(|part| NAMES.contains(part)) {
        offences.push(Offence::new(
            &file.path,
            1,
            format!("`{part}` says nothing: name the thing in it"),
        ));
    }
    for line in RustCode::new(&file.text).lines() {
        for (keyword, name) in declarations(&line.code) {
            if let Some(message) = complaint(keyword, name) {
                offences.push(Offence::new(&file.path, line.number, message));
            }
        }
    }
    offences
}

fn complaint(keyword: &str, name: &str) -> Option<String> {
    match keyword {
        "mod" => NAMES
            .contains(&name)
            .then(|| format!("module `{name}` says nothing: name the thing in it")),
        _ if name == "Handler" => Some("type `Handler` lacks its noun".to_owned()),
        _ if name.ends_with("Manager") && name != MANAGER => {
            Some(format!("type `{name}`: say what it does instead of `Manager`"))
        }
        _ => None,
    }
}

/// `(keyword, name)` of the modules and types that a line declares.
fn declarations(line: &str) -> Vec<(&str, &str)> {
    let words: Vec<&str> = line
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
        .collect();
    words
        .windows(2)
        .filter(|pair| ["mod", "struct", "enum", "trait", "type", "union"].contains(&pair[0]))
        .map(|pair| (pair[0], pair[1]))
        .collect()
}
