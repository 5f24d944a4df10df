//! Keeps an agent's objects apart from the user's until they are accepted.
//!
//! The pack is unpacked into a folder of gemicro, which can use the user's objects and is used by nothing else. A
//! refused import leaves nothing in the user's repository, and the check does not depend on what git verifies when it
//! fetches from a bundle (before 2.46: nothing).

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::bundle::Bundle;
use super::call::{CallPlace, GitCall, GitOutput, Input, OutputBound};
use super::error::RepositoryError;
use super::layout::{self, TaskLayout};
use super::refusal::ImportRefusal;
use super::trusted::TrustedRepo;

/// Files above this size are streamed, not loaded: a small pack can contain a huge one.
const STREAMED: &str = "64m";

/// Maximum size of a list that is read. A file list of this size has more than a million entries.
pub(super) const LIST_BYTES: usize = 128 << 20;

/// A folder of objects that are not accepted yet.
#[derive(Debug)]
pub(super) struct Quarantine<'a> {
    repository: &'a TrustedRepo,
    folder: PathBuf,
}

impl<'a> Quarantine<'a> {
    /// Unpacks a bundle, with all of git's checks of objects.
    pub(super) fn fill(
        repository: &'a TrustedRepo,
        layout: &TaskLayout,
        bundle: &Bundle,
    ) -> Result<Self, RepositoryError> {
        let folder = layout.out().join("quarantine");
        remove(&folder);
        layout::make_folder(&folder)?;
        layout::make_folder(&folder.join("pack"))?;
        let quarantine = Self { repository, folder };
        let mut call = quarantine.call(&["index-pack", "--stdin", "--fix-thin", "--strict"]);
        call.input = Input::File(bundle.pack()?);
        let answer = repository.git.run(call);
        let answer = answer.map_err(|error| quarantine.failure_here(error))?;
        if answer.code != 0 {
            let line = answer.last_line();
            return Err(ImportRefusal::Objects { line }.into());
        }
        Ok(quarantine)
    }

    /// Runs a command in the user's repository that also sees these objects.
    pub(super) fn run(&self, arguments: &[&str], input: Input) -> Result<GitOutput, RepositoryError> {
        let mut call = self.call(arguments);
        call.input = input;
        self.repository.git.run(call)
    }

    /// Runs a command that must succeed; a failure is blamed on the agent's objects.
    pub(super) fn ok(&self, arguments: &[&str], input: Input) -> Result<GitOutput, RepositoryError> {
        let answer = self.run(arguments, input)?;
        self.sound(answer)
    }

    /// The same as [`ok`](Self::ok), for output whose length the agent controls.
    pub(super) fn within(
        &self,
        arguments: &[&str],
        input: Input,
        most: usize,
    ) -> Result<GitOutput, RepositoryError> {
        let mut call = self.call(arguments);
        call.input = input;
        call.bound = OutputBound::Cut(most);
        let answer = self.repository.git.run(call)?;
        if answer.is_cut {
            return Err(ImportRefusal::TooManyFiles.into());
        }
        self.sound(answer)
    }

    fn sound(&self, answer: GitOutput) -> Result<GitOutput, RepositoryError> {
        match answer.code {
            0 => Ok(answer),
            _ => Err(ImportRefusal::Objects {
                line: answer.last_line(),
            }
            .into()),
        }
    }

    fn call(&self, arguments: &[&str]) -> GitCall<'static> {
        let mut call = GitCall::new(CallPlace::Repository, arguments);
        let mut others = OsString::new();
        for folder in self.repository.object_folders() {
            if !others.is_empty() {
                others.push(":");
            }
            others.push(quoted(folder));
        }
        call.variables = vec![
            ("GIT_OBJECT_DIRECTORY", self.folder.clone().into()),
            ("GIT_ALTERNATE_OBJECT_DIRECTORIES", others),
        ];
        for (name, value) in [
            ("core.bigFileThreshold", STREAMED),
            // The folder is removed soon.
            ("core.fsync", "none"),
        ] {
            call.settings.push((name.to_owned(), value.to_owned()));
        }
        call
    }

    /// A full disk is that of the task's folder.
    fn failure_here(&self, error: RepositoryError) -> RepositoryError {
        match error {
            RepositoryError::DiskFull { line, .. } => RepositoryError::DiskFull {
                folder: self.folder.clone(),
                line,
            },
            other => other,
        }
    }
}

impl Drop for Quarantine<'_> {
    fn drop(&mut self) {
        remove(&self.folder);
    }
}

fn remove(folder: &Path) {
    // If this fails, the next import removes the rest.
    let _ = std::fs::remove_dir_all(folder);
}

/// A path quoted for git's colon-separated list.
fn quoted(path: &Path) -> OsString {
    let text = path.to_string_lossy();
    if !text.contains([':', '"', '\\']) {
        return path.into();
    }
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")).into()
}
