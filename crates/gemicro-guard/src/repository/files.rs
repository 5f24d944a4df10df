//! Single files of the user's repository: the content of a path in a commit, and whether a path is ignored.
//!
//! The main type is [`FileAt`]. Paths are always literal here, neither a pattern nor part of a revision.

use super::call::{CallPlace, GitCall, OutputBound};
use super::commit_id::CommitId;
use super::error::RepositoryError;
use super::prefix::is_plain;
use super::trusted::TrustedRepo;

/// The entry at a path in a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileAt {
    /// A regular file, executable or not.
    File {
        /// Its content, as it is stored.
        bytes: Vec<u8>,
        /// Whether the rest was left out.
        is_cut: bool,
    },
    /// A symbolic link. It is not followed.
    Link,
    /// The path leads to a folder.
    Folder,
    /// A repository inside the repository.
    Gitlink,
}

impl TrustedRepo {
    /// The entry at a path in a commit, with at most `most_bytes` of a file's content. `None` if there is none, or the
    /// path cannot be in a tree.
    ///
    /// # Errors
    /// When there is no such commit, or git fails.
    pub fn read_file(
        &self,
        commit: &CommitId,
        path: &str,
        most_bytes: u64,
    ) -> Result<Option<FileAt>, RepositoryError> {
        if !is_plain(path) {
            return Ok(None);
        }
        let arguments = ["ls-tree", "-z", "--full-tree", commit.as_str(), "--", path];
        let call = GitCall::new(CallPlace::Repository, &arguments).with_literal_paths();
        let output = self.git.ok(call)?.output;
        let Some((mode, object)) = output.split(|byte| *byte == 0).find_map(|entry| at(entry, path)) else {
            return Ok(None);
        };
        match mode {
            "100644" | "100755" => self.content(object, most_bytes).map(Some),
            "120000" => Ok(Some(FileAt::Link)),
            "160000" => Ok(Some(FileAt::Gitlink)),
            "040000" => Ok(Some(FileAt::Folder)),
            other => Err(RepositoryError::GitAnswer {
                command: "ls-tree".to_owned(),
                why: format!("unexpected mode `{other}`"),
            }),
        }
    }

    /// Whether git ignores a path, relative to the top of the checkout: it is untracked, and an ignore rule matches.
    ///
    /// # Errors
    /// When git cannot tell, for example because the path leads through a link.
    pub fn is_ignored(&self, path: &str) -> Result<bool, RepositoryError> {
        if !is_plain(path) {
            return Ok(false);
        }
        // `check-ignore` has no literal paths. The prefix `./` prevents pathspec magic, and `--no-index` prevents
        // patterns.
        let plain_path = format!("./{path}");
        let answer = self.here(&["check-ignore", "--quiet", "--no-index", "--", &plain_path])?;
        match answer.code {
            0 => {}
            1 => return Ok(false),
            _ => return Err(answer.failure()),
        }
        let tracked = self.call_here(&["ls-files", "-z", "--cached", "--", path]);
        Ok(self.git.ok(tracked.with_literal_paths())?.output.is_empty())
    }

    fn content(&self, object: &str, most_bytes: u64) -> Result<FileAt, RepositoryError> {
        let mut call = GitCall::new(CallPlace::Repository, &["cat-file", "blob", object]);
        call.bound = OutputBound::Cut(usize::try_from(most_bytes).unwrap_or(usize::MAX));
        let answer = self.git.run(call)?;
        if answer.code != 0 && !answer.is_cut {
            return Err(answer.failure());
        }
        Ok(FileAt::File {
            bytes: answer.output,
            is_cut: answer.is_cut,
        })
    }
}

/// Mode and object of an entry of `ls-tree -z`, if it is the one at this path.
fn at<'a>(entry: &'a [u8], path: &str) -> Option<(&'a str, &'a str)> {
    let end = entry.iter().position(|byte| *byte == b'\t')?;
    if entry.get(end + 1..)? != path.as_bytes() {
        return None;
    }
    let mut words = std::str::from_utf8(entry.get(..end)?).ok()?.split(' ');
    Some((words.next()?, words.nth(1)?))
}
