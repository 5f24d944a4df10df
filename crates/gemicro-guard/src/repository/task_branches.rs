//! Lists the task branches of a remote.

use std::collections::BTreeSet;

use super::error::RepositoryError;
use super::main_branch::branch_of;
use super::trusted::TrustedRepo;

impl TrustedRepo {
    /// The names of all task branches at a remote, fetched now. Without a name the remote is `origin`, or the only one;
    /// without any remote the set is empty.
    ///
    /// # Errors
    /// [`RemoteError`](super::RemoteError) when the remote is unknown or cannot be reached.
    pub fn task_branches_at(&self, remote: Option<&str>) -> Result<BTreeSet<String>, RepositoryError> {
        let Some(remote) = self.meant_remote(remote)? else {
            return Ok(BTreeSet::new());
        };
        let arguments = [
            "ls-remote",
            "--quiet",
            "--refs",
            "--end-of-options",
            &remote.name,
            "refs/heads/task/*",
        ];
        let answer = self.speak(&remote, &arguments)?;
        if answer.code != 0 {
            return Err(remote.failure(&answer).into());
        }
        let text = answer.text();
        let names = text.lines().filter_map(|line| line.split_once('\t'));
        Ok(names.filter_map(|(_, name)| branch_of(name)).collect())
    }
}
