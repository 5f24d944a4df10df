//! The paths in a task's folder, and how they are created and removed.

use std::fs::{DirBuilder, OpenOptions, Permissions};
use std::io::Write;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags};

use super::error::RepositoryError;

/// A task's folder.
///
/// ```text
/// wt/        the worktree the agent works in; wt/.git is a file
/// git/       its private git directory
/// tmp/       TMPDIR of the agent
/// home/      HOME of the agent
/// out/       bundles, written by gemicro only
/// handover/  what gemicro gives the agent to read; made when there is something
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TaskLayout {
    pub(super) folder: PathBuf,
}

impl TaskLayout {
    pub(super) fn worktree(&self) -> PathBuf {
        self.folder.join("wt")
    }

    pub(super) fn git_directory(&self) -> PathBuf {
        self.folder.join("git")
    }

    pub(super) fn temporary(&self) -> PathBuf {
        self.folder.join("tmp")
    }

    pub(super) fn home(&self) -> PathBuf {
        self.folder.join("home")
    }

    pub(super) fn handover(&self) -> PathBuf {
        self.folder.join("handover")
    }

    pub(super) fn out(&self) -> PathBuf {
        self.folder.join("out")
    }

    /// Paths that stay read-only inside the sandbox, if its level supports that.
    pub(super) fn pinned_paths(&self) -> Vec<PathBuf> {
        let git = self.git_directory();
        vec![
            self.worktree().join(".git"),
            git.join("HEAD"),
            git.join("config"),
            git.join("hooks"),
            git.join("objects/info"),
        ]
    }
}

/// Creates a folder that only its owner may enter. It must not exist.
pub(super) fn make_folder(path: &Path) -> Result<(), RepositoryError> {
    let made = DirBuilder::new().mode(0o700).create(path);
    made.map_err(|source| RepositoryError::file("make", path, source))
}

/// Writes a new file that only its owner may use. It must not exist.
pub(super) fn write_new(path: &Path, bytes: &[u8]) -> Result<(), RepositoryError> {
    let failed = |source| RepositoryError::file("write", path, source);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o600);
    let mut file = options.open(path).map_err(failed)?;
    file.write_all(bytes).map_err(failed)
}

/// Moves a tree that an agent could write out of the way, and removes as much of it as possible. Its depth, modes and
/// links cannot make this fail.
pub(super) fn throw_away(path: &Path) -> Result<(), RepositoryError> {
    if std::fs::symlink_metadata(path).is_err() {
        return Ok(());
    }
    let aside = (0..10_000)
        .map(|n| path.with_extension(format!("{n}.old")))
        .find(|aside| std::fs::symlink_metadata(aside).is_err());
    let aside = aside.unwrap_or_else(|| path.with_extension("old"));
    std::fs::rename(path, &aside).map_err(|source| RepositoryError::file("move", path, source))?;
    if std::fs::remove_dir_all(&aside).is_err() {
        open_folders(&aside);
        // Anything left is garbage beside the task, removed together with its folder.
        let _ = std::fs::remove_dir_all(&aside);
    }
    Ok(())
}

/// Restores the owner's permission to empty folders. Never follows a link.
fn open_folders(top: &Path) {
    let mut left = vec![top.to_path_buf()];
    while let Some(folder) = left.pop() {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let Ok(descriptor) = rustix::fs::openat(CWD, &folder, flags, Mode::empty()) else {
            continue;
        };
        let itself = PathBuf::from(format!("/proc/self/fd/{}", descriptor.as_raw_fd()));
        let _ = std::fs::set_permissions(&itself, Permissions::from_mode(0o700));
        let entries = std::fs::read_dir(&itself).into_iter().flatten().flatten();
        let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        left.extend(folders.map(|entry| folder.join(entry.file_name())));
    }
}
