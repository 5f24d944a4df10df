//! What several tests need: the corpus folder, white-space collapsing and a folder to write in.

use std::fs;
use std::path::{Path, PathBuf};

use gemicro_core::corpus::Document;
use gemicro_source::{ReadLimits, Snapshot, take_snapshot};

/// The moment all test ledgers name.
pub(crate) const READ_AT: &str = "2031-01-02T03:04:05.000Z";

pub(crate) fn corpus_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/research-corpus")
}

pub(crate) fn snapshot_of(sources: &[&Path]) -> Snapshot {
    let sources: Vec<PathBuf> = sources.iter().map(|source| source.to_path_buf()).collect();
    take_snapshot(&sources, &ReadLimits::default(), None, READ_AT).unwrap()
}

pub(crate) fn corpus_snapshot() -> Snapshot {
    snapshot_of(&[&corpus_folder().join("docs")])
}

pub(crate) fn collapse(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A folder with these files.
pub(crate) fn folder_with(files: &[(&str, &[u8])]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    folder
}

pub(crate) fn docs_of(snapshot: &Snapshot) -> Vec<&str> {
    snapshot
        .documents
        .iter()
        .map(|document| document.doc.as_str())
        .collect()
}

pub(crate) fn document<'a>(snapshot: &'a Snapshot, doc: &str) -> &'a Document {
    snapshot
        .documents
        .iter()
        .find(|document| document.doc == doc)
        .unwrap()
}

/// Reasons by file name, in the order of the paths.
pub(crate) fn reasons(snapshot: &Snapshot) -> Vec<(String, &str)> {
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    snapshot
        .skipped
        .iter()
        .map(|skipped| (name(&skipped.path), skipped.reason.as_str()))
        .collect()
}
