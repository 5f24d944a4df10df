//! The sandbox for commands that prepare a checkout, and how their changes to tracked files are undone.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::call::{CallPlace, GitCall};
use super::create::pointer;
use super::error::RepositoryError;
use super::inside::InsideCommand;
use super::open_beneath;
use super::report::plain;
use super::task::TaskRepo;
use super::trusted::TrustedRepo;
use crate::sandbox::Profile;

impl TaskRepo {
    /// The same sandbox with a read-only git directory, so that a command cannot change it.
    #[must_use]
    pub fn with_readable_git(&self, mut profile: Profile) -> Profile {
        let git = self.layout.git_directory();
        profile.writable.retain(|path| *path != git);
        profile.readable.push(git);
        profile
    }

    /// Restores every tracked file that differs from the last commit. Settings in the home folder are not read: the
    /// program that changed the files could have written those too.
    #[must_use]
    pub fn restore_command(&self) -> Vec<OsString> {
        let mut command = ["env", "HOME=/dev/null"].map(OsString::from).to_vec();
        command.extend(self.git_inside(&["reset", "--hard", "--quiet", self.record.tip.as_str()]));
        command
    }

    /// Refuses a worktree in which git, started in a folder with tracked files, would use another git directory, or
    /// would have written files with attributes that are not committed.
    fn check_tracked_folders(&self, repository: &TrustedRepo) -> Result<(), RepositoryError> {
        let worktree = self.layout.worktree();
        let found = open_beneath::read_small(&worktree, ".git", 1 << 16).unwrap_or_default();
        if found != pointer(&self.layout.git_directory()) {
            return Err(unusable(b".git", "it is not the file that gemicro wrote"));
        }
        let tracked = TrackedFile::read(repository, self.record.tip.as_str())?;
        for folder in tracked.folders {
            let path = worktree.join(&folder);
            let attributes = folder.join(".gitattributes");
            let is_there = worktree.join(&attributes).symlink_metadata().is_ok();
            if is_there && !tracked.attributes.contains(&attributes) {
                return Err(unusable(
                    attributes.as_os_str().as_bytes(),
                    "it is not committed, and changes how git writes files",
                ));
            }
            let is_folder = path.symlink_metadata().is_ok_and(|about| about.is_dir());
            if !is_folder {
                return Err(unusable(
                    folder.as_os_str().as_bytes(),
                    "it is a link or a file, not a folder",
                ));
            }
            let is_top = folder.as_os_str().is_empty();
            if !is_top && path.join(".git").symlink_metadata().is_ok() {
                let inner = folder.join(".git");
                return Err(unusable(
                    inner.as_os_str().as_bytes(),
                    "it would hide the repository from git",
                ));
            }
        }
        Ok(())
    }
}

impl InsideCommand {
    /// Resets every tracked file of the worktree to the task's last commit; untracked files stay. Nothing else may have
    /// been able to write the git directory since it was created (see [`TaskRepo::with_readable_git`]).
    ///
    /// # Errors
    /// When this fails: then the worktree must not be trusted.
    pub fn restore(&self, repository: &TrustedRepo, task: &TaskRepo) -> Result<(), RepositoryError> {
        self.ok(&task.restore_command())?;
        task.check_tracked_folders(repository)
    }
}

/// The paths of a commit that decide where and how files are written.
struct TrackedFile {
    /// The folders that contain tracked files, including the top.
    folders: BTreeSet<PathBuf>,
    attributes: BTreeSet<PathBuf>,
}

impl TrackedFile {
    fn read(repository: &TrustedRepo, commit: &str) -> Result<Self, RepositoryError> {
        let arguments = ["ls-tree", "-r", "-z", "--full-tree", "--name-only", commit];
        let output = repository
            .git
            .ok(GitCall::new(CallPlace::Repository, &arguments))?
            .output;
        let names = output.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        let files: Vec<&Path> = names.map(|name| Path::new(OsStr::from_bytes(name))).collect();
        let folders = files.iter().flat_map(|file| file.ancestors().skip(1));
        let attributes = files.iter().filter(|file| file.ends_with(".gitattributes"));
        Ok(Self {
            folders: folders.map(Path::to_owned).collect(),
            attributes: attributes.map(|file| (*file).to_owned()).collect(),
        })
    }
}

fn unusable(path: &[u8], why: &'static str) -> RepositoryError {
    RepositoryError::BadPath {
        path: plain(path),
        why,
    }
}
