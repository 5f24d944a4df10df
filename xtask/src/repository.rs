//! The checkout: where its root is and which files belong to it.
//!
//! The main type is [`SourceFile`]. Files come from git, so ignored ones (`target`, `.tools`) never
//! appear, while new ones that are not yet added do.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::process;

/// A text file of the checkout.
#[derive(Debug, Clone)]
pub(crate) struct SourceFile {
    /// Path from the root, with `/`.
    pub(crate) path: String,
    pub(crate) text: String,
}

/// The root of the checkout.
pub(crate) fn root() -> Result<PathBuf> {
    let manifest_folder = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    let root = manifest_folder.parent().context("xtask has no parent folder")?;
    Ok(root.to_path_buf())
}

/// Paths of all files that are tracked or new: everything except ignored files.
pub(crate) fn paths(root: &Path) -> Result<Vec<String>> {
    let mut command = Command::new("git");
    // In CI the checkout may belong to another user; git would refuse to list it.
    command
        .args([
            "-c",
            "safe.directory=*",
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ])
        .current_dir(root);
    let listing = process::output(&mut command)?;
    let mut paths: Vec<String> = listing
        .split('\0')
        .filter(|path| !path.is_empty() && root.join(path).is_file())
        .map(str::to_owned)
        .collect();
    paths.sort();
    paths.dedup();
    Ok(paths)
}

/// The files that are text (UTF-8 without NUL); the others have no lines to check.
pub(crate) fn text_files(root: &Path, paths: &[String]) -> Result<Vec<SourceFile>> {
    let mut files = Vec::new();
    for path in paths {
        let bytes = std::fs::read(root.join(path)).with_context(|| format!("cannot read {path}"))?;
        if bytes.contains(&0) {
            continue;
        }
        if let Ok(text) = String::from_utf8(bytes) {
            files.push(SourceFile {
                path: path.clone(),
                text,
            });
        }
    }
    Ok(files)
}
