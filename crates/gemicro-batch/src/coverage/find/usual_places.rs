//! The places where the tools of Rust and C++ projects write their reports.

use std::path::Path;

/// Well-known names of reports.
const NAMES: [&str; 7] = [
    "lcov.info",
    "coverage.info",
    "coverage.lcov",
    "coverage.xml",
    "cobertura.xml",
    "cobertura-coverage.xml",
    "coverage.json",
];

/// Folders in search order, and which of their files are reports. A `*` matches any rest of a folder's name.
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

/// Maximum number of directory entries examined per folder.
const MAX_ENTRIES: usize = 10_000;

/// The files of a folder that count as reports.
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

/// The reports that exist, relative to the project's folder, in the order of the table.
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

/// The same places as text for error messages.
pub(in crate::coverage) fn places_text() -> String {
    let names = NAMES.join(", ");
    let folders: Vec<&str> = USUAL_PLACES.iter().map(|(folder, _)| *folder).skip(1).collect();
    format!("{names} there and in {}", folders.join(", "))
}

/// Expands an entry of the table to folders.
fn folders(root: &Path, place: &str) -> Vec<String> {
    let Some((beginning, below)) = place.split_once('*') else {
        return vec![place.to_owned()];
    };
    let listed = list_names(root, |kind| !kind.is_file());
    let folders = listed.into_iter().filter(|name| name.starts_with(beginning));
    folders.map(|name| format!("{name}{below}")).collect()
}

/// Sorted names in a folder; empty if it does not exist.
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
