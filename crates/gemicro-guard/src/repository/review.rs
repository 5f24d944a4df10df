//! The sandbox of a reviewing agent: it reads everything, and writes only a few folders.

use super::error::RepositoryError;
use super::open_beneath;
use super::prefix::is_plain;
use super::report::plain;
use super::task::{TaskRepo, TaskSandbox};
use crate::sandbox::{Profile, WriteMode};

impl TaskRepo {
    /// The sandbox of an agent that may write only these folders of the worktree, such as `docs/reviews`, and neither
    /// the rest of the worktree nor the git directory. Missing folders are created.
    ///
    /// Its mode is `workspace-write`, even if `read-only` was requested; without a sandbox nothing is enforced.
    ///
    /// # Errors
    /// When a folder is not a plain path, or a link or a file is in its place.
    pub fn review_profile(&self, sandbox: TaskSandbox, folders: &[&str]) -> Result<Profile, RepositoryError> {
        let worktree = self.layout.worktree();
        let mut writable = Vec::new();
        for folder in folders {
            let name = folder.trim_end_matches('/');
            if !is_plain(name) {
                return Err(RepositoryError::BadPath {
                    path: plain(folder.as_bytes()),
                    why: "it is not a plain path below the worktree",
                });
            }
            let path = worktree.join(name);
            let made = open_beneath::make_folders(&worktree, name);
            made.map_err(|source| RepositoryError::file("make", &path, source))?;
            writable.push(path);
        }
        let usual = self.profile(sandbox);
        let mut pinned = usual.pinned;
        pinned.push(worktree);
        let mut readable = usual.readable;
        readable.extend(usual.writable);
        Ok(Profile {
            mode: match usual.mode {
                WriteMode::ReadOnly | WriteMode::WorkspaceWrite => WriteMode::WorkspaceWrite,
                WriteMode::DangerFullAccess => WriteMode::DangerFullAccess,
            },
            writable,
            pinned,
            readable,
            ..usual
        })
    }
}
