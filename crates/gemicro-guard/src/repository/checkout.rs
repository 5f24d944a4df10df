//! The user's own checkouts, as listed by `git worktree list`.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use super::commit_id::CommitId;

/// One checkout of the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct UserCheckout {
    pub(super) folder: PathBuf,
    /// The full name of its branch; `None` if no branch is checked out.
    pub(super) branch: Option<String>,
    pub(super) head: Option<CommitId>,
}

/// Reads the list, the main checkout first.
pub(super) fn parse(output: &[u8]) -> Vec<UserCheckout> {
    let mut found: Vec<UserCheckout> = Vec::new();
    for line in output.split(|byte| *byte == b'\n') {
        if let Some(folder) = line.strip_prefix(b"worktree ") {
            found.push(UserCheckout {
                folder: PathBuf::from(OsStr::from_bytes(folder)),
                branch: None,
                head: None,
            });
        }
        let Some(last) = found.last_mut() else {
            continue;
        };
        let text = String::from_utf8_lossy(line);
        if let Some(branch) = text.strip_prefix("branch ") {
            last.branch = Some(branch.to_owned());
        }
        if let Some(head) = text.strip_prefix("HEAD ") {
            last.head = CommitId::parse(head);
        }
    }
    found
}
