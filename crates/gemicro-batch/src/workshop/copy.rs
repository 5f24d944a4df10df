//! Copies folders and projects. A project is copied without build output, repositories and links that lead out.

use std::fs::{self, File, Metadata};
use std::os::unix::fs::{DirBuilderExt, symlink};
use std::path::{Path, PathBuf};

use gemicro_event::{ErrorKind, Failure};

use super::held_folder::hold_new;

/// Maximum number of files in a copy.
const MOST_FILES: u64 = 100_000;
/// Maximum size of a copy, in bytes.
const MOST_BYTES: u64 = 2 << 30;
/// Repositories and build output, which are not copied.
const LEFT_OUT: &[&str] = &[".git", ".hg", ".svn", "target", "node_modules", "__pycache__"];

/// A private copy of a project; removed on drop.
#[derive(Debug)]
pub struct PrivateCopy {
    root: PathBuf,
    /// The lock that marks it as in use.
    _held: File,
}

impl PrivateCopy {
    /// The folder of the copied project.
    #[must_use]
    pub fn project(&self) -> PathBuf {
        self.root.join("project")
    }

    /// A home for commands, initially empty.
    #[must_use]
    pub fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    /// A folder for temporary files.
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

/// Copies a project into a folder that does not exist yet. Blocking.
///
/// # Errors
/// When the project is too large, or a file cannot be read or written.
pub fn private_copy(project: &Path, root: &Path) -> Result<PrivateCopy, Failure> {
    let copy = PrivateCopy {
        _held: hold_new(root).map_err(|error| copy_failure(root, &error))?,
        root: root.to_owned(),
    };
    for folder in [copy.home(), copy.temporary()] {
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&folder)
            .map_err(|error| copy_failure(&folder, &error))?;
    }
    let mut size = Size::default();
    let mut is_taken = |path: &Path, about: &Metadata| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if LEFT_OUT.contains(&name.as_ref()) || path == root {
            return Ok(false);
        }
        if about.is_symlink() {
            return Ok(stays(path, project));
        }
        size.add(about, project).map(|()| true)
    };
    copy_folder(project, &copy.project(), &mut is_taken)?;
    Ok(copy)
}

/// Decides whether a file, or a folder with its contents, is copied.
pub type IsTaken<'a> = dyn FnMut(&Path, &Metadata) -> Result<bool, Failure> + 'a;

/// Copies a file with its modification time, a link as a link, or a folder with its contents. Existing folders are
/// merged and anything else is replaced, so nothing is written through a link. Blocking.
///
/// # Errors
/// When the disk is full, or something cannot be read.
pub fn copy_over(from: &Path, to: &Path, is_taken: &mut IsTaken<'_>) -> Result<(), Failure> {
    let about = from
        .symlink_metadata()
        .map_err(|error| copy_failure(from, &error))?;
    if !is_taken(from, &about)? {
        return Ok(());
    }
    if about.is_dir() {
        return copy_folder(from, to, is_taken);
    }
    make_room(to, CopyNeed::Whatever)?;
    if about.is_symlink() {
        let target = fs::read_link(from).map_err(|error| copy_failure(from, &error))?;
        symlink(target, to).map_err(|error| copy_failure(to, &error))?;
    } else if about.is_file() {
        fs::copy(from, to).map_err(|error| copy_failure(from, &error))?;
        // Build tools compare modification times.
        let _ = about
            .modified()
            .and_then(|time| File::open(to)?.set_modified(time));
    }
    Ok(())
}

fn copy_folder(from: &Path, to: &Path, is_taken: &mut IsTaken<'_>) -> Result<(), Failure> {
    make_room(to, CopyNeed::Folder)?;
    fs::create_dir_all(to).map_err(|error| copy_failure(to, &error))?;
    for entry in fs::read_dir(from).map_err(|error| copy_failure(from, &error))? {
        let entry = entry.map_err(|error| copy_failure(from, &error))?;
        copy_over(&entry.path(), &to.join(entry.file_name()), is_taken)?;
    }
    Ok(())
}

/// The kind of entry that a path is needed for.
#[derive(PartialEq, Eq)]
enum CopyNeed {
    Folder,
    Whatever,
}

fn make_room(place: &Path, room: CopyNeed) -> Result<(), Failure> {
    let removed = match place.symlink_metadata() {
        Ok(there) if there.is_dir() && room == CopyNeed::Folder => Ok(()),
        Ok(there) if there.is_dir() => fs::remove_dir_all(place),
        Ok(_) => fs::remove_file(place),
        Err(_) => Ok(()),
    };
    removed.map_err(|error| copy_failure(place, &error))
}

/// Whether a link is relative and leads to something inside the project.
fn stays(link: &Path, project: &Path) -> bool {
    let is_relative = fs::read_link(link).is_ok_and(|target| target.is_relative());
    is_relative && fs::canonicalize(link).is_ok_and(|real| real.starts_with(project))
}

/// The amount copied so far.
#[derive(Default)]
struct Size {
    n_files: u64,
    n_bytes: u64,
}

impl Size {
    /// Counts before copying, so that the limit is reached before the disk is full.
    fn add(&mut self, about: &Metadata, project: &Path) -> Result<(), Failure> {
        if about.is_file() {
            self.n_files += 1;
            self.n_bytes += about.len();
        }
        if self.n_files > MOST_FILES || self.n_bytes > MOST_BYTES {
            let message = format!(
                "{} is too large to be copied: more than {MOST_FILES} files or {} GiB",
                project.display(),
                MOST_BYTES >> 30
            );
            return Err(Failure::new(ErrorKind::InvalidInput, message));
        }
        Ok(())
    }
}

fn copy_failure(path: &Path, error: &std::io::Error) -> Failure {
    let kind = match error.kind() {
        // Caused by the project's permissions, not by the disk.
        std::io::ErrorKind::PermissionDenied => ErrorKind::PermissionDenied,
        _ => ErrorKind::StorageError,
    };
    Failure::new(kind, format!("{}: {error}", path.display()))
}
