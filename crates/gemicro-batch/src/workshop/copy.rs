//! A private copy of a project: its files, without results, repositories and links that lead out.

use std::fs;
use std::os::unix::fs::{DirBuilderExt, symlink};
use std::path::{Path, PathBuf};

use gemicro_event::{ErrorKind, Failure};

/// Files of a copy.
const MOST_FILES: u64 = 100_000;
/// Bytes of a copy.
const MOST_BYTES: u64 = 2 << 30;
/// What is made again, or is nobody's business.
const LEFT_OUT: &[&str] = &[".git", ".hg", ".svn", "target", "node_modules", "__pycache__"];

/// A copy; removed when this is dropped.
#[derive(Debug)]
pub struct PrivateCopy {
    root: PathBuf,
}

impl PrivateCopy {
    /// The copied project.
    #[must_use]
    pub fn project(&self) -> PathBuf {
        self.root.join("project")
    }

    /// An empty home.
    #[must_use]
    pub fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    /// A place for temporary files.
    #[must_use]
    pub fn temporary(&self) -> PathBuf {
        self.root.join("tmp")
    }
}

impl Drop for PrivateCopy {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

/// Copies a project into a folder that does not exist yet. Blocks.
///
/// # Errors
/// When the project is too large, or the disk full.
pub fn private_copy(project: &Path, root: &Path) -> Result<PrivateCopy, Failure> {
    let copy = PrivateCopy {
        root: root.to_owned(),
    };
    for folder in [copy.home(), copy.temporary()] {
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&folder)
            .map_err(|error| failed(&folder, &error))?;
    }
    let mut copying = Copying {
        project,
        root,
        n_files: 0,
        n_bytes: 0,
    };
    copy_folder(&mut copying, project, &copy.project())?;
    Ok(copy)
}

struct Copying<'a> {
    project: &'a Path,
    /// Where the copy goes; it may lie inside the project, and does not belong to it.
    root: &'a Path,
    n_files: u64,
    n_bytes: u64,
}

fn copy_folder(copying: &mut Copying<'_>, from: &Path, to: &Path) -> Result<(), Failure> {
    fs::create_dir_all(to).map_err(|error| failed(to, &error))?;
    let entries = fs::read_dir(from).map_err(|error| failed(from, &error))?;
    for entry in entries {
        let entry = entry.map_err(|error| failed(from, &error))?;
        let (name, path) = (entry.file_name(), entry.path());
        let kind = entry.file_type().map_err(|error| failed(&path, &error))?;
        let target = to.join(&name);
        if LEFT_OUT.contains(&name.to_string_lossy().as_ref()) {
            continue;
        }
        if kind.is_dir() {
            if path != copying.root {
                copy_folder(copying, &path, &target)?;
            }
        } else if kind.is_file() {
            // Before the copy: a disk that is full helps nobody.
            copying.n_files += 1;
            copying.n_bytes += entry.metadata().map_err(|error| failed(&path, &error))?.len();
            if copying.n_files > MOST_FILES || copying.n_bytes > MOST_BYTES {
                let message = format!(
                    "{} is too large to be copied: more than {MOST_FILES} files or {} GiB",
                    copying.project.display(),
                    MOST_BYTES >> 30
                );
                return Err(Failure::new(ErrorKind::InvalidInput, message));
            }
            fs::copy(&path, &target).map_err(|error| failed(&path, &error))?;
        } else if kind.is_symlink() {
            let leads_to = fs::read_link(&path).map_err(|error| failed(&path, &error))?;
            let stays = fs::canonicalize(&path).is_ok_and(|real| real.starts_with(copying.project));
            if stays && leads_to.is_relative() {
                symlink(leads_to, &target).map_err(|error| failed(&target, &error))?;
            }
        }
    }
    Ok(())
}

fn failed(path: &Path, error: &std::io::Error) -> Failure {
    let kind = match error.kind() {
        // The project's own doing; nothing is wrong with the disk.
        std::io::ErrorKind::PermissionDenied => ErrorKind::PermissionDenied,
        _ => ErrorKind::StorageError,
    };
    Failure::new(kind, format!("{}: {error}", path.display()))
}
