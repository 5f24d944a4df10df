//! Finds the files to read in the source paths: [`find_files`].
//!
//! Ignore files (`.gitignore`, `.ignore`) are respected with or without a git repository, hidden files are left out,
//! and links inside a folder are never followed, so that link loops do no harm. Only names and sizes are read; no file
//! is opened here.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

use crate::error::SourceError;
use crate::limits::{ReadLimits, larger_than};
use crate::walk::doc_id::assign_doc_ids;

/// A file that will be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundFile {
    /// Its document id: the path below its source, with `/`.
    pub doc: String,
    /// Its path, with all links resolved.
    pub path: PathBuf,
}

/// A file that was not read, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedFile {
    /// The file as it was found.
    pub path: PathBuf,
    /// One lower-case fragment, such as `binary`.
    pub reason: String,
}

/// The result of the walk: files in a stable order, and files that were left out with a reason.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FoundFiles {
    /// Files to read, sorted by document id.
    pub candidates: Vec<FoundFile>,
    /// Files that will not be read. Ignored and hidden files are not listed.
    pub skipped: Vec<SkippedFile>,
}

/// A file below one source, before ids are made unique.
struct Below {
    source_idx: usize,
    relative: String,
    path: PathBuf,
    n_bytes: u64,
}

/// Finds the files of all sources. A source that does not exist is an error; a bad file below one is not.
pub fn find_files(sources: &[PathBuf], limits: &ReadLimits) -> Result<FoundFiles, SourceError> {
    if sources.is_empty() {
        return Err(SourceError::NoSource);
    }
    let mut found = FoundFiles::default();
    let mut files: Vec<Below> = Vec::new();
    let mut seen: HashSet<PathBuf> = HashSet::new();
    for (source_idx, source) in sources.iter().enumerate() {
        // A link that the user names is followed once, by resolving it here.
        let root = fs::canonicalize(source).map_err(|error| source_error(source, &error))?;
        let metadata = fs::metadata(&root).map_err(|error| source_error(source, &error))?;
        if metadata.is_dir() {
            walk_folder(&root, |entry| match entry {
                Ok((path, n_bytes)) => {
                    if seen.insert(path.clone()) {
                        let relative = relative_id(&root, &path);
                        files.push(Below {
                            source_idx,
                            relative,
                            path,
                            n_bytes,
                        });
                    }
                }
                Err(skipped) => found.skipped.push(skipped),
            });
        } else if !metadata.is_file() {
            found.skipped.push(SkippedFile {
                path: source.clone(),
                reason: "not a regular file".to_owned(),
            });
        } else if seen.insert(root.clone()) {
            let name = source.file_name().or(root.file_name()).unwrap_or_default();
            let relative = name.to_string_lossy().into_owned();
            files.push(Below {
                source_idx,
                relative,
                path: root,
                n_bytes: metadata.len(),
            });
        }
    }
    let labels: Vec<String> = sources.iter().map(|source| source_label(source)).collect();
    let ids = assign_doc_ids(
        &labels,
        files.iter().map(|file| (file.source_idx, file.relative.as_str())),
    );
    let mut named: Vec<(String, Below)> = ids.into_iter().zip(files).collect();
    named.sort_by(|a, b| a.0.cmp(&b.0));
    apply_limits(named, limits, &mut found);
    found.skipped.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

/// Keeps the files that fit the limits, in the order of their ids, so that the choice is always the same.
fn apply_limits(named: Vec<(String, Below)>, limits: &ReadLimits, found: &mut FoundFiles) {
    let mut total_bytes = 0u64;
    for (doc, file) in named {
        let max_bytes = limits.max_bytes_of(&file.relative);
        let reason = if file.n_bytes > max_bytes {
            Some(larger_than(max_bytes))
        } else if found.candidates.len() >= limits.max_files {
            Some(format!("over the limit of {} files", limits.max_files))
        } else if total_bytes.saturating_add(file.n_bytes) > limits.max_total_bytes {
            Some(format!(
                "over the limit of {} bytes for all files",
                limits.max_total_bytes
            ))
        } else {
            None
        };
        match reason {
            Some(reason) => found.skipped.push(SkippedFile {
                path: file.path,
                reason,
            }),
            None => {
                total_bytes += file.n_bytes;
                found.candidates.push(FoundFile { doc, path: file.path });
            }
        }
    }
}

/// Calls `visit` for each regular file below `root`, and for each entry that has to be left out.
fn walk_folder(root: &Path, mut visit: impl FnMut(Result<(PathBuf, u64), SkippedFile>)) {
    let mut builder = WalkBuilder::new(root);
    // The user's global git settings are not read: the same folder gives the same files for everyone.
    builder.git_global(false).require_git(false).follow_links(false);
    builder.sort_by_file_name(|a, b| a.cmp(b));
    for entry in builder.build() {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                visit(Err(walk_error(root, &error)));
                continue;
            }
        };
        let Some(file_type) = entry.file_type() else {
            continue;
        };
        if file_type.is_dir() {
            continue;
        }
        let path = entry.path().to_path_buf();
        if file_type.is_symlink() {
            visit(Err(SkippedFile {
                path,
                reason: "symbolic link, not followed".to_owned(),
            }));
        } else if !file_type.is_file() {
            visit(Err(SkippedFile {
                path,
                reason: "not a regular file".to_owned(),
            }));
        } else {
            match entry.metadata() {
                Ok(metadata) => visit(Ok((path, metadata.len()))),
                Err(error) => visit(Err(walk_error(&path, &error))),
            }
        }
    }
}

fn walk_error(near: &Path, error: &ignore::Error) -> SkippedFile {
    fn path_of(error: &ignore::Error) -> Option<&Path> {
        match error {
            ignore::Error::WithPath { path, .. } => Some(path),
            ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => path_of(err),
            _ => None,
        }
    }
    let reason = match error.io_error() {
        Some(io_error) => os_reason(io_error),
        None => error.to_string(),
    };
    SkippedFile {
        path: path_of(error).unwrap_or(near).to_path_buf(),
        reason,
    }
}

/// The operating system's message without the number that Rust adds, as a lower-case fragment.
pub(crate) fn os_reason(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    text.to_lowercase()
}

fn source_error(path: &Path, error: &io::Error) -> SourceError {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => SourceError::NotFound {
            path: path.to_path_buf(),
        },
        _ => SourceError::Unreadable {
            path: path.to_path_buf(),
            reason: os_reason(error),
        },
    }
}

fn relative_id(root: &Path, path: &Path) -> String {
    let below = path.strip_prefix(root).unwrap_or(path);
    let parts: Vec<_> = below
        .components()
        .map(|part| part.as_os_str().to_string_lossy())
        .collect();
    parts.join("/")
}

/// The prefix for a source's documents if ids collide: its folder, or the parent folder of a file.
fn source_label(source: &Path) -> String {
    let resolved = fs::canonicalize(source).unwrap_or_else(|_| source.to_path_buf());
    let folder = if resolved.is_dir() {
        Some(resolved.as_path())
    } else {
        resolved.parent()
    };
    let name = folder
        .and_then(Path::file_name)
        .map(|name| name.to_string_lossy().into_owned());
    name.unwrap_or_else(|| "source".to_owned())
}
