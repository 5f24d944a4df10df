//! Leaves tracked files out of a task's worktree without changing the branch.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

use super::error::RepositoryError;
use super::inside::InsideCommand;
use super::task::TaskRepo;

/// Maximum number of files per command.
const BATCH: usize = 200;
/// Removes files, and folders that become empty.
const REMOVE: &str = "for file; do rm -f -- \"$file\"; folder=${file%/*}; \
    while [ \"$folder\" != \"$file\" ] && rmdir -- \"$folder\" 2>/dev/null; \
    do file=$folder; folder=${folder%/*}; done; done";

/// The path in a line `MODE OBJECT STAGE<tab>PATH`. A file in conflict is not removed: it has to be resolved.
fn settled_path(line: &[u8]) -> Option<OsString> {
    let tab = line.iter().position(|byte| *byte == b'\t')?;
    let (about, path) = line.split_at(tab);
    about
        .ends_with(b" 0")
        .then(|| OsStr::from_bytes(&path[1..]).to_owned())
}

impl InsideCommand {
    /// Removes every tracked file that matches one of these git patterns from the worktree. git sees it as unchanged,
    /// so no commit of the agent deletes it. Call this before the agent starts to work there.
    ///
    /// # Errors
    /// When git fails inside the sandbox.
    pub fn withhold(&self, task: &TaskRepo, patterns: &[String]) -> Result<(), RepositoryError> {
        let mut listing = task.git_inside(&["ls-files", "--stage", "-z", "--"]);
        listing.extend(patterns.iter().map(OsString::from));
        let listed = self.ok(&listing)?.stdout;
        let files: Vec<OsString> = listed.split(|byte| *byte == 0).filter_map(settled_path).collect();
        for batch in files.chunks(BATCH) {
            let mut mark = task.git_inside(&["update-index", "--skip-worktree", "--"]);
            mark.extend_from_slice(batch);
            self.ok(&mark)?;
            let mut remove = ["sh", "-c", REMOVE, "remove"].map(OsString::from).to_vec();
            remove.extend_from_slice(batch);
            self.ok(&remove)?;
        }
        Ok(())
    }
}
