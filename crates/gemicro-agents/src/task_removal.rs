//! Removes what a task has on disk, and makes short-lived tasks for gemicro's own checks.

use std::fs;
use std::path::Path;

use gemicro_event::Failure;
use gemicro_guard::repository::{CommitId, NewTask, Slug, TaskRepo, TaskStart};

use super::branch::{OnBranch, repository};
use super::folder::folder_failure;
use super::setup::AgentSetup;
use super::task_folder::{FolderMarks, id_of, lock, tasks_folder, to_failure};

impl OnBranch {
    /// Makes a branch of gemicro at a commit, with a new folder, whatever an earlier attempt left of both. Blocks.
    pub fn make_at(
        setup: &AgentSetup,
        state: &Path,
        (directory, branch): (&str, &str),
        at: &CommitId,
    ) -> Result<Self, Failure> {
        let tasks = tasks_folder(state)?;
        let slug: Slug = branch.parse().map_err(|error| to_failure(&error))?;
        let repository = repository(setup, &tasks, directory)?;
        let id = id_of(&repository, &slug);
        let lock = lock(&tasks.join(format!("{id}.lock")), &slug)?;
        remove_files(&tasks, &id)?;
        repository
            .place_task_branch(&slug, at)
            .map_err(|error| to_failure(&error))?;
        let (folder, start) = (tasks.join(&id), TaskStart::Continue);
        let task = TaskRepo::create(&repository, NewTask { folder, slug, start })
            .map_err(|error| to_failure(&error))?;
        let marks = FolderMarks::of(&tasks, &id);
        Self::open_branch(repository, task, (Vec::new(), marks), true, lock)
    }
}

/// Removes everything that the task of a branch has in the state folder; the branch stays. Blocks.
///
/// # Errors
/// `conflict` while a run works on the branch, and errors of the file system.
pub fn remove_task(
    setup: &AgentSetup,
    state: &Path,
    (directory, branch): (&str, &str),
) -> Result<(), Failure> {
    let tasks = tasks_folder(state)?;
    let slug: Slug = branch.parse().map_err(|error| to_failure(&error))?;
    let id = id_of(&repository(setup, &tasks, directory)?, &slug);
    // The lock file stays: another process may be waiting for it.
    let _lock = lock(&tasks.join(format!("{id}.lock")), &slug)?;
    remove_files(&tasks, &id)
}

/// Removes the folder, what was set aside, and the marks.
fn remove_files(tasks: &Path, id: &str) -> Result<(), Failure> {
    let entries = fs::read_dir(tasks).map_err(|error| folder_failure(tasks, &error))?;
    for entry in entries.flatten() {
        let name = entry.file_name();
        let (own, rest) = name
            .to_str()
            .and_then(|name| name.split_at_checked(id.len()))
            .unwrap_or_default();
        if own != id || rest == ".lock" || !(rest.is_empty() || rest.starts_with('.')) {
            continue;
        }
        match entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            true => TaskRepo::discard_folder(&entry.path()).map_err(|error| to_failure(&error))?,
            false => fs::remove_file(entry.path()).map_err(|error| folder_failure(&entry.path(), &error))?,
        }
    }
    Ok(())
}
