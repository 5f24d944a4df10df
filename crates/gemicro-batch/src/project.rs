//! Reads the files of a project. No path or link leads out of its folder.
//!
//! The main type is [`Project`]. It writes nothing and starts nothing.

use std::fs::File;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use gemicro_event::{ErrorKind, Failure};

/// The largest file that is read, in bytes.
const MOST_BYTES: u64 = 2 << 20;
/// Maximum number of directory entries visited by a walk.
const MOST_ENTRIES: usize = 50_000;
/// Maximum depth of a walk.
const MOST_DEPTH: usize = 24;
/// Folders with third-party code or build output.
const PASSED_OVER: &[&str] = &[
    "target",
    "build",
    "out",
    "dist",
    "node_modules",
    "vendor",
    "third_party",
    "venv",
    "__pycache__",
];

/// A project's folder, with every link resolved.
#[derive(Debug, Clone)]
pub struct Project {
    root: PathBuf,
}

impl Project {
    /// The project in a folder.
    ///
    /// # Errors
    /// When there is no such folder.
    pub fn open(folder: &Path) -> Result<Self, Failure> {
        let root = std::fs::canonicalize(folder).ok().filter(|root| root.is_dir());
        let root = root.ok_or_else(|| {
            let message = format!("there is no folder {}", folder.display());
            Failure::new(ErrorKind::NotFound, message)
        })?;
        Ok(Self { root })
    }

    /// Its folder, with every link resolved.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the text of a file, or `None` if it does not exist. Invalid UTF-8 is replaced.
    ///
    /// # Errors
    /// When the path leads out of the project, is not a file, or is too large.
    pub fn read(&self, path: &str) -> Result<Option<String>, Failure> {
        let leads_out = || {
            let message = format!("{path} leads out of the project {}", self.root.display());
            Failure::new(ErrorKind::PermissionDenied, message)
        };
        let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
        if path.is_empty() || !Path::new(path).components().all(is_plain) {
            return Err(leads_out());
        }
        let real = match std::fs::canonicalize(self.root.join(path)) {
            Ok(real) => real,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(unreadable(path, &error)),
        };
        if !real.starts_with(&self.root) {
            return Err(leads_out());
        }
        let is_file = real.symlink_metadata().is_ok_and(|about| about.is_file());
        if !is_file {
            return Err(Failure::new(
                ErrorKind::InvalidInput,
                format!("{path} is not a file"),
            ));
        }
        let mut bytes = Vec::new();
        File::open(&real)
            .and_then(|file| file.take(MOST_BYTES + 1).read_to_end(&mut bytes))
            .map_err(|error| unreadable(path, &error))?;
        if bytes.len() as u64 > MOST_BYTES {
            let message = format!("{path} has more than {} MiB", MOST_BYTES >> 20);
            return Err(Failure::new(ErrorKind::InvalidInput, message));
        }
        Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// The paths of all files, sorted, up to the limits above. Skips hidden folders, build output and third-party
    /// code, and follows no links.
    #[must_use]
    pub fn files(&self) -> Vec<String> {
        let mut files = Vec::new();
        let mut folders = vec![(self.root.clone(), 0)];
        let mut n_entries = 0;
        while let Some((folder, depth)) = folders.pop() {
            let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
            for entry in entries {
                n_entries += 1;
                if n_entries > MOST_ENTRIES {
                    files.sort();
                    return files;
                }
                let name = entry.file_name();
                let name = name.to_string_lossy();
                let Ok(kind) = entry.file_type() else {
                    continue;
                };
                if kind.is_dir() {
                    let is_ours = !name.starts_with('.') && !PASSED_OVER.contains(&name.as_ref());
                    if is_ours && depth < MOST_DEPTH {
                        folders.push((entry.path(), depth + 1));
                    }
                } else if kind.is_file() {
                    let path = entry.path();
                    let inside = path.strip_prefix(&self.root).ok();
                    files.extend(inside.map(|path| path.to_string_lossy().into_owned()));
                }
            }
        }
        files.sort();
        files
    }
}

fn unreadable(path: &str, error: &std::io::Error) -> Failure {
    Failure::new(
        ErrorKind::PermissionDenied,
        format!("{path} cannot be read: {error}"),
    )
}
