//! Lists the tasks of a state folder and removes those that are no longer needed: folder, shown checkout and branch.

use std::path::{Path, PathBuf};

use gemicro_event::Failure;
use gemicro_guard::repository::{RepositoryError, Slug, TaskRepo, TrustedRepo};

use super::branch::repository;
use super::setup::AgentSetup;
use super::task_folder::{FolderMarks, id_of, tasks_folder, to_failure};
use super::task_removal::remove_task;

/// A task with a folder in the state folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredTask {
    /// Its branch, such as `task/dark-mode`.
    pub branch: String,
    /// A checkout of its repository.
    pub directory: PathBuf,
    /// The run that made the branch, if it was a pipeline.
    pub owner: Option<String>,
    /// Whether main has its work, or its branch was deleted.
    pub is_merged: bool,
}

/// All tasks of a state folder whose repositories can be opened. Blocks.
///
/// # Errors
/// When the folder cannot be made or read.
pub fn stored_tasks(setup: &AgentSetup, state: &Path) -> Result<Vec<StoredTask>, Failure> {
    let tasks = tasks_folder(state)?;
    let mut found = Vec::new();
    for entry in std::fs::read_dir(&tasks).into_iter().flatten().flatten() {
        let Ok((common, slug)) = TaskRepo::repository_and_slug(&entry.path()) else {
            continue;
        };
        let directory = common.parent().unwrap_or(&common);
        let Ok(repository) = repository(setup, &tasks, &directory.display().to_string()) else {
            continue;
        };
        let id = id_of(&repository, &slug);
        // Set-aside folders belong to the task with the plain id.
        if entry.file_name().to_str() == Some(id.as_str()) {
            found.push(StoredTask {
                branch: slug.branch(),
                directory: directory.to_owned(),
                owner: FolderMarks::of(&tasks, &id).owner(),
                is_merged: is_merged(&repository, &slug).map_err(|error| to_failure(&error))?,
            });
        }
    }
    found.sort_by(|one, other| one.branch.cmp(&other.branch));
    Ok(found)
}

fn is_merged(repository: &TrustedRepo, slug: &Slug) -> Result<bool, RepositoryError> {
    match repository.task_branch(slug)? {
        None => Ok(true),
        Some(tip) => repository.is_in_main(&tip),
    }
}

/// Removes a task: its folder, its shown checkout and its branch. Returns a note about a checkout that stays. Blocks.
///
/// # Errors
/// `conflict` while a run works on the branch or it is checked out, and errors of git and of the file system.
pub fn prune_task(setup: &AgentSetup, state: &Path, task: &StoredTask) -> Result<Option<String>, Failure> {
    let tasks = tasks_folder(state)?;
    let directory = task.directory.display().to_string();
    let repository = repository(setup, &tasks, &directory)?;
    let slug: Slug = task.branch.parse().map_err(|error| to_failure(&error))?;
    repository
        .check_not_checked_out(&slug)
        .map_err(|error| to_failure(&error))?;
    remove_task(setup, state, (&directory, &task.branch))?;
    let note = repository
        .remove_shown(&slug)
        .map_err(|error| to_failure(&error))?;
    if let Some(tip) = repository
        .task_branch(&slug)
        .map_err(|error| to_failure(&error))?
    {
        let removed = repository.remove_task_branch(&slug, &tip);
        removed.map_err(|error| to_failure(&error))?;
    }
    Ok(note)
}
