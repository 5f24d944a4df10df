//! Rejects type names that occur twice: a name in a stack trace or a search must lead to one type.

use std::collections::{BTreeMap, BTreeSet};

use super::file_place::{self, FilePurpose};
use super::offence::Offence;
use super::rust_code::RustCode;
use crate::repository::SourceFile;

/// Names that several files may declare, each with its reason.
const SHARED_NAMES: &[(&str, &str)] = &[("Inner", "what a handle shares, private to the file of the handle")];

/// Checks the struct, enum, trait and alias names of all product files. Associated types do not count.
pub(crate) fn check(files: &[SourceFile]) -> Vec<Offence> {
    let mut declared: BTreeMap<String, BTreeSet<(&str, usize)>> = BTreeMap::new();
    for file in files {
        let place = file_place::of(&file.path);
        if place.package.is_empty() || place.purpose != FilePurpose::Product || !file.path.ends_with(".rs") {
            continue;
        }
        for line in RustCode::new(&file.text).lines().filter(|line| !line.in_test) {
            if let Some(name) = type_name(&line.code) {
                declared
                    .entry(name.to_owned())
                    .or_default()
                    .insert((&file.path, line.number));
            }
        }
    }
    declared
        .iter()
        .flat_map(|(name, places)| further_declarations(name, places))
        .collect()
}

/// One violation for each further file that declares the name.
fn further_declarations(name: &str, places: &BTreeSet<(&str, usize)>) -> Vec<Offence> {
    let is_allowed = SHARED_NAMES.iter().any(|(shared, _)| *shared == name);
    let first = places.first().map_or("", |(path, _)| *path);
    let further = places.iter().filter(|(path, _)| *path != first && !is_allowed);
    let offence = |(path, line): &(&str, usize)| {
        let message = format!("type `{name}` is also declared in {first}: name it after its subject");
        Offence::new(path, *line, message)
    };
    further.map(offence).collect()
}

/// The type that a line declares. An indented `type` is an associated one.
pub(super) fn type_name(line: &str) -> Option<&str> {
    let is_indented = line.starts_with(' ');
    let words = line
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty());
    let mut words = words.skip_while(|word| ["pub", "crate", "super", "in", "unsafe"].contains(word));
    match words.next()? {
        "struct" | "enum" | "trait" | "union" => words.next(),
        "type" if !is_indented => words.next(),
        _ => None,
    }
    .filter(|name| name.starts_with(char::is_uppercase))
}
