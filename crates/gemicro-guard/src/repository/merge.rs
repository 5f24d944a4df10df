//! Brings a task up to date: merges a commit of the user's repository into its branch, inside the sandbox.
//!
//! The main type is [`Merge`]. Conflicts are left in the worktree for an agent to resolve; whether it did so well is
//! decided elsewhere.

use std::ffi::OsString;

use super::commit_id::CommitId;
use super::error::RepositoryError;
use super::inside::InsideCommand;
use super::inside_git::{CommitMessage, git_failure};
use super::open_beneath;
use super::report::plain;
use super::task::TaskRepo;
use crate::sandbox::CommandExit;

/// What is kept of git's words about a conflict, in characters.
const WORDS: usize = 10_000;

/// What became of a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Merge {
    /// The branch holds the commit already.
    UpToDate,
    /// There is a merge commit.
    Clean,
    /// The worktree is left in conflict. [`InsideCommand::commit_all`] concludes the merge once it is resolved.
    Conflict {
        /// The files in conflict, safe to print.
        files: Vec<String>,
        /// What git said, safe to print.
        text: String,
    },
}

/// The usual length of a mark of a conflict. Attributes can make it another.
const USUAL_MARK: usize = 7;

/// Whether a text that was in conflict holds marks that git puts around one: a side of the usual length or longer, or of
/// any length all three in their order.
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

/// How often a line begins with a sign, if nothing but a space follows that.
fn length_of_mark(line: &[u8], sign: u8) -> Option<usize> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let length = line.iter().take_while(|byte| **byte == sign).count();
    let is_end = line.get(length).is_none_or(|next| *next == b' ');
    (length > 0 && is_end).then_some(length)
}

impl TaskRepo {
    /// Merges a commit, always with a commit of its own.
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

    /// Looks, as data, whether a merge is under way in the task's worktree.
    #[must_use]
    pub fn is_merging(&self) -> bool {
        open_beneath::open_file(&self.layout.folder, "git/MERGE_HEAD").is_ok()
    }
}

impl InsideCommand {
    /// Merges a commit of the user's repository into the task's branch. What the agent left must be committed before
    /// (see [`InsideCommand::commit_all`]).
    ///
    /// # Errors
    /// When git fails inside: changes that are not committed are in the way, or the agent saw to it.
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
