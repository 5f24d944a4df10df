//! Where the tools of Rust and C++ projects leave their reports.

use std::path::Path;

/// Names of reports that say what they are.
const NAMES: [&str; 7] = [
    "lcov.info",
    "coverage.info",
    "coverage.lcov",
    "coverage.xml",
    "cobertura.xml",
    "cobertura-coverage.xml",
    "coverage.json",
];

/// Folders, in the order in which they are looked into, and which of their files are reports. A `*` at the end of a
/// folder's name stands for any ending.
pub const USUAL_PLACES: &[(&str, ReportNames)] = &[
    ("", ReportNames::Usual),
    ("coverage", ReportNames::Tracefiles),
    ("target/llvm-cov", ReportNames::Any),
    ("target/coverage", ReportNames::Any),
    ("target/llvm-cov-target", ReportNames::Any),
    ("build", ReportNames::Usual),
    ("build/coverage", ReportNames::Tracefiles),
    ("cmake-build-*", ReportNames::Usual),
    ("cmake-build-*/coverage", ReportNames::Tracefiles),
    ("out", ReportNames::Usual),
    ("out/coverage", ReportNames::Tracefiles),
];

/// Entries of a folder that are looked at.
const MAX_ENTRIES: usize = 10_000;

/// Which files of a folder are reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportNames {
    /// `lcov.info`, `coverage.info`, `coverage.lcov`, `coverage.xml`, `cobertura.xml`, `cobertura-coverage.xml`,
    /// `coverage.json`.
    Usual,
    /// These, and every `*.info` and `*.lcov`.
    Tracefiles,
    /// Every `*.info`, `*.lcov`, `*.xml` and `*.json`.
    Any,
}

impl ReportNames {
    fn holds(self, name: &str) -> bool {
        let ends = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
        match self {
            Self::Usual => NAMES.contains(&name),
            Self::Tracefiles => NAMES.contains(&name) || ends(&[".info", ".lcov"]),
            Self::Any => ends(&[".info", ".lcov", ".xml", ".json"]),
        }
    }
}

/// The reports that there are, from the project's folder on, in the order of the table.
pub(in crate::coverage) fn usual_reports(root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for (place, names) in USUAL_PLACES {
        for folder in folders(root, place) {
            let listed = list_names(&root.join(&folder), |kind| !kind.is_dir());
            let reports = listed.into_iter().filter(|name| names.holds(name));
            let path = |name: String| match folder.is_empty() {
                true => name,
                false => format!("{folder}/{name}"),
            };
            found.extend(reports.map(path));
        }
    }
    found
}

/// The same places as one text.
pub(in crate::coverage) fn places_text() -> String {
    let names = NAMES.join(", ");
    let folders: Vec<&str> = USUAL_PLACES.iter().map(|(folder, _)| *folder).skip(1).collect();
    format!("{names} there and in {}", folders.join(", "))
}

/// The folders that a place of the table stands for.
fn folders(root: &Path, place: &str) -> Vec<String> {
    let Some((beginning, below)) = place.split_once('*') else {
        return vec![place.to_owned()];
    };
    let listed = list_names(root, |kind| !kind.is_file());
    let folders = listed.into_iter().filter(|name| name.starts_with(beginning));
    folders.map(|name| format!("{name}{below}")).collect()
}

/// Names in a folder, in their order; none where there is no such folder.
fn list_names(folder: &Path, is_meant: fn(&std::fs::FileType) -> bool) -> Vec<String> {
    let entries = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .take(MAX_ENTRIES);
    let meant = entries.filter(|entry| entry.file_type().is_ok_and(|kind| is_meant(&kind)));
    let mut names: Vec<String> = meant
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    names.sort();
    names
}
