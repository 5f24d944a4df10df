//! The only way for an agent's work to reach the user's repository: checked data, and one branch.

use serde::{Deserialize, Serialize};

use super::bundle::Bundle;
use super::call::{CallPlace, GitCall, Input};
use super::carried_secrets::CarriedSecrets;
use super::changes::TreeChanges;
use super::commit_id::CommitId;
use super::error::RepositoryError;
use super::new_commits;
use super::quarantine::Quarantine;
use super::refusal::ImportRefusal;
use super::report::ImportWarning;
use super::rules::{self, ImportRules};
use super::task::TaskRepo;
use super::trusted::{INCOMING, TrustedRepo};

/// The outcome of an import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Import {
    /// The branch already has everything in the bundle.
    Nothing,
    /// The branch was advanced.
    Done(ImportResult),
}

/// The imported changes, and warnings about them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportResult {
    /// The tip of the branch before the import.
    pub old: CommitId,
    /// The tip of the branch after the import.
    pub new: CommitId,
    /// Number of imported commits.
    pub n_commits: u64,
    /// Number of files that differ.
    pub n_files: usize,
    /// Lines added by the new commits, all files together.
    pub insertions: u64,
    /// Lines removed by them.
    pub deletions: u64,
    /// Findings to look at before merging.
    pub reports: Vec<ImportWarning>,
}

/// Imports the agent's commits on its branch, from the bundle that [`InsideCommand::bundle`] wrote.
///
/// The bundle is copied out of the agent's reach, its objects are checked separately from the user's, and the rules are
/// applied. Only then is it fetched and the branch advanced, if it has not been moved meanwhile. After an earlier
/// failure the user's repository is unchanged.
///
/// [`InsideCommand::bundle`]: super::InsideCommand::bundle
///
/// # Errors
/// [`RepositoryError::BranchSwitched`], [`RepositoryError::BranchMoved`], [`RepositoryError::BranchCheckedOut`],
/// [`RepositoryError::Refused`], [`RepositoryError::DiskFull`], and failures of git.
pub fn import(
    repository: &TrustedRepo,
    task: &mut TaskRepo,
    rules: &ImportRules,
) -> Result<Import, RepositoryError> {
    import_unless(repository, task, rules, |_| Ok(Vec::new()))
}

/// The same as [`import`], unless `faults` finds any in the new tip. When `faults` is called, the repository has the
/// commit, but the branch has not been moved yet.
///
/// # Errors
/// The same as for [`import`].
pub fn import_unless(
    repository: &TrustedRepo,
    task: &mut TaskRepo,
    rules: &ImportRules,
    faults: impl FnOnce(&CommitId) -> Result<Vec<String>, RepositoryError>,
) -> Result<Import, RepositoryError> {
    task.check_branch()?;
    let old = unmoved_tip(repository, task)?;
    repository.check_not_checked_out(task.slug())?;
    let bundle = Bundle::take(&task.layout, &task.slug().reference(), rules.bundle_bytes)?;
    if *bundle.tip() == old {
        return Ok(Import::Nothing);
    }
    let imported = judge(repository, task, rules, &bundle, old)?;
    // If gemicro is killed now, this shows later whether the branch was moved.
    task.record.next = Some(imported.new.clone());
    task.record.last = Some(imported.clone());
    task.record.write(&task.layout.folder)?;
    let taken = take_over(repository, task, &bundle, &imported, faults);
    task.record.next = None;
    if taken.is_ok() {
        task.record.tip = imported.new.clone();
    }
    // Not a failure of the import: a later reader learns the same from the record written above and the branch.
    let _ = task.record.write(&task.layout.folder);
    taken?;
    Ok(Import::Done(imported))
}

/// The branch's tip, which must be the last imported commit.
fn unmoved_tip(repository: &TrustedRepo, task: &TaskRepo) -> Result<CommitId, RepositoryError> {
    let found = repository.task_branch(task.slug())?;
    match found {
        Some(found) if found == *task.tip() => Ok(found),
        other => Err(RepositoryError::BranchMoved {
            branch: task.slug().branch(),
            expected: task.tip().clone(),
            found: other.map_or_else(|| "nowhere".to_owned(), String::from),
        }),
    }
}

/// Checks the content of a bundle, without any effect on the user's repository.
fn judge(
    repository: &TrustedRepo,
    task: &TaskRepo,
    rules: &ImportRules,
    bundle: &Bundle,
    old: CommitId,
) -> Result<ImportResult, RepositoryError> {
    check_needed(repository, bundle)?;
    let quarantine = Quarantine::fill(repository, &task.layout, bundle)?;
    let new = bundle.tip().clone();
    let kind = quarantine.run(&["cat-file", "-t", new.as_str()], Input::Nothing)?;
    if kind.text() != "commit" {
        return Err(ImportRefusal::NotACommit.into());
    }
    // All objects that the new commits need must be in the bundle or in the user's repository.
    let without = format!("^{old}");
    let connected = ["rev-list", "--objects", "--quiet", new.as_str(), &without, "--"];
    let connected = quarantine.run(&connected, Input::Nothing)?;
    if connected.code != 0 {
        let line = connected.last_line();
        return Err(ImportRefusal::Objects { line }.into());
    }
    let is_ancestor = ["merge-base", "--is-ancestor", old.as_str(), new.as_str()];
    let is_ancestor = quarantine.run(&is_ancestor, Input::Nothing)?;
    match is_ancestor.code {
        0 => {}
        1 => return Err(ImportRefusal::Rewritten { old, new }.into()),
        _ => return Err(is_ancestor.failure()),
    }
    // Must come first: only this limits how much is read, whatever the trees contain.
    let new_commits = new_commits::read(&quarantine, (&old, &new), rules)?;
    let changes = TreeChanges::read(&quarantine, &old, &new, &rules.known)?;
    let reports = rules::apply(rules, &changes, new_commits)?;
    let lent = CarriedSecrets::read(repository, &rules.never)?;
    lent.check(repository, &quarantine, (&old, &new), &rules.known)?;
    Ok(ImportResult {
        reports,
        old,
        new,
        n_commits: changes.n_commits,
        n_files: changes.files.len(),
        insertions: changes.insertions,
        deletions: changes.deletions,
    })
}

/// Checks that the user's repository has the commits that a bundle builds on.
fn check_needed(repository: &TrustedRepo, bundle: &Bundle) -> Result<(), RepositoryError> {
    let mut call = GitCall::new(
        CallPlace::Repository,
        &["cat-file", "--batch-check=%(objecttype)"],
    );
    let asked: String = bundle
        .prerequisites()
        .iter()
        .map(|id| format!("{id}\n"))
        .collect();
    call.input = Input::Bytes(asked.into_bytes());
    let text = repository.git.ok(call)?.text();
    match text.lines().find(|line| *line != "commit") {
        None => Ok(()),
        Some(line) => Err(ImportRefusal::Header {
            why: format!("it needs commits that this repository does not have: {line}"),
        }
        .into()),
    }
}

/// Fetches the checked commits and advances the branch.
fn take_over(
    repository: &TrustedRepo,
    task: &TaskRepo,
    bundle: &Bundle,
    imported: &ImportResult,
    faults: impl FnOnce(&CommitId) -> Result<Vec<String>, RepositoryError>,
) -> Result<(), RepositoryError> {
    let incoming = IncomingRef::new(repository, &task.id())?;
    incoming.fetch(task, bundle)?;
    if repository.commit_at(&incoming.name)?.as_ref() != Some(&imported.new) {
        return Err(RepositoryError::GitAnswer {
            command: "fetch".to_owned(),
            why: "the fetched commit is not the one that was checked".to_owned(),
        });
    }
    let faults = faults(&imported.new)?;
    if !faults.is_empty() {
        return Err(ImportRefusal::Faulty { faults }.into());
    }
    // The user may have checked it out meanwhile.
    repository.check_not_checked_out(task.slug())?;
    let reference = task.slug().reference();
    let (new, old) = (imported.new.as_str(), imported.old.as_str());
    let arguments = [
        "update-ref",
        "--no-deref",
        "-m",
        "gemicro: import",
        &reference,
        new,
        old,
    ];
    let answer = repository
        .git
        .run(GitCall::new(CallPlace::Repository, &arguments))?;
    if answer.code == 0 {
        return Ok(());
    }
    // The branch may have been moved since it was checked.
    unmoved_tip(repository, task)?;
    Err(answer.failure())
}

/// The reference that keeps fetched commits until the branch is moved. Removed in every case.
struct IncomingRef<'a> {
    repository: &'a TrustedRepo,
    name: String,
}

impl<'a> IncomingRef<'a> {
    fn new(repository: &'a TrustedRepo, id: &str) -> Result<Self, RepositoryError> {
        let incoming = Self {
            repository,
            name: format!("{INCOMING}{id}"),
        };
        // Left over from an import of this task that was killed.
        incoming.remove()?;
        Ok(incoming)
    }

    fn fetch(&self, task: &TaskRepo, bundle: &Bundle) -> Result<(), RepositoryError> {
        let mut call = GitCall::new(
            CallPlace::Repository,
            &[
                "fetch",
                "--quiet",
                "--no-tags",
                "--no-prune",
                "--no-recurse-submodules",
                "--no-write-fetch-head",
                "--no-auto-maintenance",
                "--refmap=",
            ],
        );
        call.arguments.push(bundle.path().into());
        call.arguments
            .push(format!("{}:{}", task.slug().reference(), self.name).into());
        for (name, value) in [
            ("transfer.fsckObjects", "true"),
            ("fetch.fsckObjects", "true"),
            // A bundle is a file; users who forbid this protocol mean other people's repositories.
            ("protocol.file.allow", "always"),
        ] {
            call.settings.push((name.to_owned(), value.to_owned()));
        }
        let answer = self.repository.git.run(call)?;
        match answer.code {
            0 => Ok(()),
            _ => Err(ImportRefusal::Objects {
                line: answer.last_line(),
            }
            .into()),
        }
    }

    fn remove(&self) -> Result<(), RepositoryError> {
        let arguments = ["update-ref", "--no-deref", "-d", &self.name];
        self.repository.git.text(&arguments).map(|_| ())
    }
}

impl Drop for IncomingRef<'_> {
    fn drop(&mut self) {
        // If this fails, a few objects stay until the next import.
        let _ = self.remove();
    }
}
