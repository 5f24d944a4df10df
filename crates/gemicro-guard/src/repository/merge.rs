//! Updates a task: merges a commit of the user's repository into its branch, inside the sandbox.
//!
//! The main type is [`Merge`]. Conflicts stay in the worktree for an agent to resolve; other code checks the
//! resolution.

use std::ffi::OsString;

use super::commit_id::CommitId;
use super::error::RepositoryError;
use super::inside::InsideCommand;
use super::inside_git::{CommitMessage, git_failure};
use super::open_beneath;
use super::report::plain;
use super::task::TaskRepo;
use crate::sandbox::CommandExit;

/// Maximum length of git's text about a conflict, in characters.
const WORDS: usize = 10_000;

/// The outcome of a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Merge {
    /// The branch already contains the commit.
    UpToDate,
    /// A merge commit was created.
    Clean,
    /// The worktree has conflicts. [`InsideCommand::commit_all`] concludes the merge once they are resolved.
    Conflict {
        /// The files in conflict, safe to print.
        files: Vec<String>,
        /// git's messages, safe to print.
        text: String,
    },
}

/// The usual length of a conflict marker. Attributes can change it.
const USUAL_MARK: usize = 7;

/// Whether text that was in conflict still contains conflict markers: `<` or `>` of at least the usual length, or all
/// three markers of the same shorter length in order.
#[must_use]
pub fn conflict_markers(text: &[u8]) -> bool {
    let lines = || text.split(|byte| *byte == b'\n');
    let sides = lines().filter_map(|line| length_of_mark(line, b'<').or_else(|| length_of_mark(line, b'>')));
    if sides.max() >= Some(USUAL_MARK) {
        return true;
    }
    (1..USUAL_MARK).any(|length| {
        let mut lines = lines();
        let mut has = |sign: u8| lines.any(|line| length_of_mark(line, sign) == Some(length));
        has(b'<') && has(b'=') && has(b'>')
    })
}

/// The length of the marker of this character that begins a line, if the line ends or a space follows.
fn length_of_mark(line: &[u8], sign: u8) -> Option<usize> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let length = line.iter().take_while(|byte| **byte == sign).count();
    let is_end = line.get(length).is_none_or(|next| *next == b' ');
    (length > 0 && is_end).then_some(length)
}

impl TaskRepo {
    /// Merges a commit, always with a merge commit.
    #[must_use]
    pub fn merge_command(&self, theirs: &CommitId, message: &CommitMessage) -> Vec<OsString> {
        let text = message.whole();
        self.git_inside(&[
            "-c",
            "rerere.enabled=false",
            "-c",
            "merge.conflictStyle=merge",
            "merge",
            "--no-ff",
            "--commit",
            "--no-squash",
            "--no-edit",
            "--no-verify",
            "--no-gpg-sign",
            "--no-signoff",
            "--no-autostash",
            "--no-log",
            "--no-stat",
            "--cleanup=whitespace",
            "-m",
            &text,
            theirs.as_str(),
        ])
    }

    /// Whether a merge is in progress in the task's worktree. Only reads a file.
    #[must_use]
    pub fn is_merging(&self) -> bool {
        open_beneath::open_file(&self.layout.folder, "git/MERGE_HEAD").is_ok()
    }
}

impl InsideCommand {
    /// Merges a commit of the user's repository into the task's branch. The agent's changes must be committed first
    /// (see [`InsideCommand::commit_all`]).
    ///
    /// # Errors
    /// When git fails inside the sandbox: there are uncommitted changes, or the agent caused it.
    pub fn merge(
        &self,
        task: &TaskRepo,
        theirs: &CommitId,
        message: &CommitMessage,
    ) -> Result<Merge, RepositoryError> {
        let command = task.git_inside(&["merge-base", "--is-ancestor", theirs.as_str(), "HEAD"]);
        let output = self.run(&command)?;
        match output.exit {
            CommandExit::Code(0) => return Ok(Merge::UpToDate),
            CommandExit::Code(1) => {}
            CommandExit::Code(_) | CommandExit::Signal(_) => return Err(git_failure(&command, &output)),
        }
        let command = task.merge_command(theirs, message);
        let output = self.run(&command)?;
        if output.is_success() {
            return Ok(Merge::Clean);
        }
        let asked = ["diff", "--name-only", "-z", "--diff-filter=U", "--no-ext-diff"];
        let unmerged = self.ok(&task.git_inside(&asked))?.stdout;
        let files = unmerged.split(|byte| *byte == 0).filter(|path| !path.is_empty());
        let files: Vec<String> = files.map(plain).collect();
        if files.is_empty() || !task.is_merging() {
            return Err(git_failure(&command, &output));
        }
        let words = [output.stdout, output.stderr].concat();
        let lines = words.split(|byte| *byte == b'\n').map(plain);
        let text = lines.collect::<Vec<_>>().join("\n");
        Ok(Merge::Conflict {
            files,
            text: text.trim_end().chars().take(WORDS).collect(),
        })
    }
}
