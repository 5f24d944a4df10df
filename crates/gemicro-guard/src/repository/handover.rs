//! Files that gemicro gives an agent to read: outside the worktree, so that they are never committed.

use std::path::PathBuf;

use super::error::RepositoryError;
use super::layout;
use super::report::plain;
use super::task::TaskRepo;

/// Maximum length of a file name.
const MOST_BYTES: usize = 100;

impl TaskRepo {
    /// The folder with the files that gemicro gives the agent. It exists once a file was written.
    #[must_use]
    pub fn handover(&self) -> PathBuf {
        self.layout.handover()
    }

    /// Writes or atomically replaces a file for the agent to read, and returns its path. Profiles made from now on
    /// ([`TaskRepo::profile`]) make it readable, but not writable.
    ///
    /// # Errors
    /// When the name is not a plain one, or the disk is full.
    pub fn write_handover(&self, name: &str, bytes: &[u8]) -> Result<PathBuf, RepositoryError> {
        if let Some(why) = problem(name) {
            let path = plain(name.as_bytes()).chars().take(MOST_BYTES).collect();
            return Err(RepositoryError::BadPath { path, why });
        }
        let folder = self.layout.handover();
        if std::fs::symlink_metadata(&folder).is_err() {
            layout::make_folder(&folder)?;
        }
        let (path, new) = (folder.join(name), folder.join(format!(".{name}.new")));
        // Left over from a gemicro that was killed.
        let _ = std::fs::remove_file(&new);
        layout::write_new(&new, bytes)?;
        std::fs::rename(&new, &path).map_err(|source| RepositoryError::file("write", &path, source))?;
        Ok(path)
    }
}

fn problem(name: &str) -> Option<&'static str> {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    if !(1..=MOST_BYTES).contains(&name.len()) {
        Some("its name must have 1 to 100 characters")
    } else if !name.chars().all(is_allowed) {
        Some("only letters, digits, `.`, `_` and `-` may be used in its name")
    } else if name.starts_with(['.', '-']) {
        Some("its name begins with `.` or `-`")
    } else {
        None
    }
}
