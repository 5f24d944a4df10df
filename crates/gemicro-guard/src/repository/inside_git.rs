//! gemicro's own git commands inside a task's sandbox: commit the agent's changes and pack them into a bundle.

use std::ffi::OsString;
use std::path::Path;

use super::call::last_line;
use super::commit_id::CommitId;
use super::error::RepositoryError;
use super::inside::{InsideCommand, InsideOutput, name_of};
use super::refusal::ImportRefusal;
use super::report::plain;
use super::task::TaskRepo;
use crate::sandbox::CommandExit;

/// The bundle's name in the agent's temporary folder.
pub(super) const BUNDLE: &str = "out.bundle";

const MESSAGE_BYTES: usize = 100_000;

/// Switches off programs that settings could name, although they could only run inside the sandbox.
const FIXED: &[&str] = &[
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "commit.gpgsign=false",
    "-c",
    "gc.auto=0",
    "-c",
    "maintenance.auto=false",
    "--no-pager",
    "--no-replace-objects",
];

/// The message of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitMessage {
    /// Subject, optionally followed by an empty line and a body.
    pub text: String,
    /// Names and values of trailers, for example `Gemicro-Run` and the run's id.
    pub trailers: Vec<(String, String)>,
}

impl CommitMessage {
    /// For commands that commit nothing.
    #[must_use]
    pub fn empty() -> Self {
        Self {
            text: String::new(),
            trailers: Vec::new(),
        }
    }

    pub(super) fn whole(&self) -> String {
        let mut text = self.text.trim_end().to_owned();
        for (idx, (name, value)) in self.trailers.iter().enumerate() {
            text.push_str(if idx == 0 { "\n\n" } else { "\n" });
            text.push_str(&format!("{name}: {}", value.replace(['\n', '\r', '\0'], " ")));
        }
        // The length of a command-line argument is limited.
        text.truncate(text.floor_char_boundary(MESSAGE_BYTES));
        text.replace('\0', " ")
    }
}

/// The result of committing the agent's uncommitted changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitResult {
    /// Whether there was something to commit.
    pub is_something: bool,
    /// git's error about files that could not be committed.
    pub left_out: Option<String>,
}

/// git's first error message, safe to print.
fn first_error(stderr: &[u8]) -> String {
    let lines = stderr.split(|byte| *byte == b'\n');
    let mut errors = lines.filter(|line| line.starts_with(b"error: "));
    plain(errors.next().unwrap_or(stderr))
}

/// Whether there is anything to import, as seen inside the sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BundleResult {
    /// The branch has not moved.
    Nothing,
    /// A bundle is in the agent's temporary folder.
    Something,
}

impl TaskRepo {
    /// A git command to run inside the sandbox. It names the private git directory, so a `.git` that the agent made is
    /// ignored.
    #[must_use]
    pub fn git_inside(&self, arguments: &[&str]) -> Vec<OsString> {
        let option = |name: &str, path: &Path| {
            let mut option = OsString::from(name);
            option.push(path);
            option
        };
        let mut command = vec![
            OsString::from("git"),
            option("--git-dir=", &self.layout.git_directory()),
            option("--work-tree=", &self.layout.worktree()),
        ];
        command.extend(FIXED.iter().chain(arguments).map(OsString::from));
        command
    }

    /// Stages everything. First removes locks that a killed git left: no other git runs there now.
    #[must_use]
    pub fn stage_all_command(&self) -> Vec<OsString> {
        const SCRIPT: &str =
            "rm -f -- \"$1/index.lock\" \"$1/HEAD.lock\" \"$1/$2.lock\"; shift 2; exec \"$@\"";
        let mut command = ["sh", "-c", SCRIPT, "stage"].map(OsString::from).to_vec();
        command.push(self.layout.git_directory().into());
        command.push(self.record.slug.reference().into());
        command.extend(self.git_inside(&["add", "--all", "--ignore-errors", "--", ":/"]));
        command
    }

    /// Exits with 1 when something is staged.
    #[must_use]
    pub fn is_staged_command(&self) -> Vec<OsString> {
        self.git_inside(&["diff", "--cached", "--quiet", "--no-ext-diff"])
    }

    /// Commits what is staged.
    #[must_use]
    pub fn commit_command(&self, message: &CommitMessage) -> Vec<OsString> {
        let text = message.whole();
        self.git_inside(&[
            "commit",
            "--quiet",
            "--no-verify",
            "--allow-empty-message",
            "--cleanup=whitespace",
            "-m",
            &text,
        ])
    }

    /// Packs the new commits on the branch since the last import, without the history of the known commits.
    #[must_use]
    pub fn bundle_command(&self, known: &[CommitId]) -> Vec<OsString> {
        let path = self.layout.temporary().join(BUNDLE);
        let without = known.iter().chain([&self.record.tip]);
        let mut command = self.git_inside(&["bundle", "create", "-q"]);
        command.push(path.into());
        command.push(self.record.slug.reference().into());
        command.extend(without.map(|id| OsString::from(format!("^{id}"))));
        command
    }
}

impl InsideCommand {
    /// Commits the agent's changes in its worktree, and concludes a merge in progress, even with conflict markers: look
    /// for them first ([`conflict_markers`](super::conflict_markers)). Skips what git cannot commit, such as an empty
    /// repository or an unreadable file.
    ///
    /// # Errors
    /// When git fails inside the sandbox: the agent may have caused that.
    pub fn commit_all(
        &self,
        task: &TaskRepo,
        message: &CommitMessage,
    ) -> Result<CommitResult, RepositoryError> {
        let command = task.stage_all_command();
        let added = self.run(&command)?;
        let left_out = match added.exit {
            CommandExit::Code(0) => None,
            CommandExit::Code(1) => Some(first_error(&added.stderr)),
            CommandExit::Code(_) | CommandExit::Signal(_) => return Err(git_failure(&command, &added)),
        };
        let command = task.is_staged_command();
        let staged = self.run(&command)?;
        let is_something = match staged.exit {
            // A merge without changes must be committed too.
            CommandExit::Code(0) if !task.is_merging() => false,
            CommandExit::Code(0 | 1) => self.ok(&task.commit_command(message)).map(|_| true)?,
            CommandExit::Code(_) | CommandExit::Signal(_) => return Err(git_failure(&command, &staged)),
        };
        Ok(CommitResult {
            is_something,
            left_out,
        })
    }

    /// Packs the new commits on the task's branch into a bundle, for [`import()`](super::import()).
    ///
    /// # Errors
    /// When git fails inside the sandbox, or the branch lacks commits that were imported before.
    pub fn bundle(&self, task: &TaskRepo) -> Result<BundleResult, RepositoryError> {
        self.bundle_without(task, &[])
    }

    /// The same as [`bundle`](Self::bundle), without the history of other commits that the user's repository has, such
    /// as merged ones.
    ///
    /// # Errors
    /// The same as for [`bundle`](Self::bundle).
    pub fn bundle_without(
        &self,
        task: &TaskRepo,
        known: &[CommitId],
    ) -> Result<BundleResult, RepositoryError> {
        let asked = format!("{}^{{commit}}", task.slug().reference());
        let command = task.git_inside(&["rev-parse", "--verify", "--quiet", &asked]);
        let output = self.run(&command)?;
        let text = String::from_utf8_lossy(&output.stdout);
        let tip = CommitId::parse(text.trim_end()).ok_or(ImportRefusal::NotACommit)?;
        if tip == *task.tip() {
            return Ok(BundleResult::Nothing);
        }
        let old = task.layout.temporary().join(BUNDLE);
        let mut remove: Vec<OsString> = ["rm", "-rf", "--"].map(OsString::from).to_vec();
        remove.push(old.into());
        self.ok(&remove)?;
        let command = task.bundle_command(known);
        let output = self.run(&command)?;
        if output.is_success() {
            return Ok(BundleResult::Something);
        }
        // Another tip without new commits: the branch was moved back.
        if String::from_utf8_lossy(&output.stderr).contains("empty bundle") {
            let old = task.tip().clone();
            return Err(ImportRefusal::Rewritten { old, new: tip }.into());
        }
        Err(git_failure(&command, &output))
    }

    pub(super) fn ok(&self, command: &[OsString]) -> Result<InsideOutput, RepositoryError> {
        let output = self.run(command)?;
        match output.is_success() {
            true => Ok(output),
            false => Err(git_failure(command, &output)),
        }
    }
}

pub(super) fn git_failure(command: &[OsString], output: &InsideOutput) -> RepositoryError {
    RepositoryError::Inside {
        command: name_of(command),
        line: last_line(&output.stderr),
    }
}
