//! Rules for every text file: no machine-specific paths, no registry hosts, no trailing white space.

use super::offence::Offence;
use crate::repository::SourceFile;

/// Folders that belong to one machine. Written in parts: this file is checked too.
const MACHINE_FOLDERS: &[&str] = &[
    concat!("/wo", "rk/"),
    concat!("/ro", "ot/"),
    concat!("/ho", "me/"),
];

const REGISTRY_HOSTS: &[&str] = &[
    concat!("registry.", "npmjs"),
    concat!("pypi.org/", "simple"),
    concat!("files.", "pythonhosted"),
    concat!("static.", "crates"),
    concat!("index.", "crates.io"),
    concat!("deb.", "debian.org"),
    concat!("resolved\": \"", "http"),
    concat!("index = \"", "http"),
];

/// Checks one text file.
pub(crate) fn check(file: &SourceFile) -> Vec<Offence> {
    let mut offences = Vec::new();
    if file.path == "Cargo.lock" {
        return offences;
    }
    for (idx, line) in file.text.split('\n').enumerate() {
        let mut add = |message: String| offences.push(Offence::new(&file.path, idx + 1, message));
        for folder in MACHINE_FOLDERS.iter().filter(|folder| has_absolute(line, folder)) {
            add(format!("`{folder}`: a path of one machine"));
        }
        for host in REGISTRY_HOSTS.iter().filter(|host| line.contains(**host)) {
            add(format!("`{host}`: registries are the user's own setting"));
        }
        if line.ends_with([' ', '\t', '\r']) && !is_verbatim(&file.path) {
            add("white space at the end of the line".to_owned());
        }
    }
    offences
}

/// Files that are data: test corpora and recorded outputs are kept unchanged.
pub(crate) fn is_verbatim(path: &str) -> bool {
    path.ends_with(".snap")
        || path
            .split('/')
            .any(|part| ["fixtures", "golden", "snapshots"].contains(&part))
}

/// Whether the folder begins a path, and is not the continuation of one (`docs` + folder, a URL).
fn has_absolute(line: &str, folder: &str) -> bool {
    line.match_indices(folder).any(|(start, _)| {
        let before = line[..start].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || "_-.~}>$".contains(c))
    })
}
