//! gemicro's own git commands inside a task's sandbox: commit what the agent left, and pack it up.

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

/// Programs that settings could name are not wanted, although they could only run inside.
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

/// What a commit says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitMessage {
    /// Subject, and if wanted an empty line and a body.
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
        // One argument of a command has a limit.
        text.truncate(text.floor_char_boundary(MESSAGE_BYTES));
        text.replace('\0', " ")
    }
}

/// What became of the agent's uncommitted changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitResult {
    /// There was something to commit.
    pub is_something: bool,
    /// What git said about that which could not be.
    pub left_out: Option<String>,
}

/// The first error that git told, as text that is safe to print.
fn first_error(stderr: &[u8]) -> String {
    let lines = stderr.split(|byte| *byte == b'\n');
    let mut errors = lines.filter(|line| line.starts_with(b"error: "));
    plain(errors.next().unwrap_or(stderr))
}

/// What there is to import, as far as can be said inside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BundleResult {
    /// The branch is where it was.
    Nothing,
    /// A bundle lies in the agent's temporary folder.
    Something,
}

impl TaskRepo {
    /// A git command for the inside: the private git directory is named, so a `.git` that the agent made does not
    /// count.
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

    /// Stages everything. Locks that a killed git left are removed first: nothing else works there now.
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

    /// Packs what is new on the branch since the last import, without what leads to the known commits.
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
    /// Commits what the agent left in its worktree, and concludes a merge that is under way, conflict markers or not:
    /// look for them first ([`conflict_markers`](super::conflict_markers)). What git cannot take, an empty repository
    /// or a file that cannot be read, is left out.
    ///
    /// # Errors
    /// When git fails inside: the agent may have seen to that.
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
            // A merge that changes nothing is still one.
            CommandExit::Code(0) if !task.is_merging() => false,
            CommandExit::Code(0 | 1) => self.ok(&task.commit_command(message)).map(|_| true)?,
            CommandExit::Code(_) | CommandExit::Signal(_) => return Err(git_failure(&command, &staged)),
        };
        Ok(CommitResult {
            is_something,
            left_out,
        })
    }

    /// Packs what is new on the task's branch into a bundle, for [`import()`](super::import()).
    ///
    /// # Errors
    /// When git fails inside, or the branch lacks what was imported before.
    pub fn bundle(&self, task: &TaskRepo) -> Result<BundleResult, RepositoryError> {
        self.bundle_without(task, &[])
    }

    /// The same, without what leads to commits that the user's repository has besides, such as those that were merged.
    ///
    /// # Errors
    /// As there.
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
        // Another tip and yet nothing new: it went back.
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
