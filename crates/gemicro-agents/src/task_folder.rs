//! The folder of a task between its runs: locked by one run at a time; work that was not imported is never deleted.
//!
//! ```text
//! tasks/ID/        the private repository of one branch of one repository; see `gemicro_guard::repository`
//! tasks/ID.lock    held by the one run that works there
//! tasks/ID.open    it may hold what was not taken over
//! tasks/ID.refused that was refused: the next run begins with the last commit that was taken over
//! tasks/ID.N       what was put aside then
//! tasks/ID.owner   the pipeline that made the branch
//! tasks/ID.landing its step that took something over last
//! ```

use std::fs::{self, File};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use gemicro_event::{ErrorKind, Failure};
use gemicro_guard::repository::{RepositoryError, Slug, TaskRepo, TrustedRepo};
use rustix::fs::OFlags;
use sha2::{Digest, Sha256};

use super::folder::{folder_failure, hold, make_folder};

/// How long a folder whose work was imported is kept, with all that was built in it.
const IDLE: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// The marker files of a task's folder.
pub(super) struct FolderMarks {
    open: PathBuf,
    refused: PathBuf,
    landing: PathBuf,
    owner: PathBuf,
}

impl FolderMarks {
    pub(super) fn of(tasks: &Path, id: &str) -> Self {
        Self {
            open: tasks.join(format!("{id}.open")),
            refused: tasks.join(format!("{id}.refused")),
            landing: tasks.join(format!("{id}.landing")),
            owner: tasks.join(format!("{id}.owner")),
        }
    }

    /// Records that a step is about to import something.
    pub(super) fn mark_landing(&self, by: &str) -> Result<(), Failure> {
        fs::write(&self.landing, by).map_err(|error| folder_failure(&self.landing, &error))
    }

    /// Forgets the last import: the branch is at another commit.
    pub(super) fn forget_landing(&self) {
        let _ = fs::remove_file(&self.landing);
    }

    /// The last step that imported something.
    pub(super) fn landed_by(&self) -> Option<String> {
        fs::read_to_string(&self.landing).ok()
    }

    /// Records that a run is about to create the branch.
    pub(super) fn own(&self, run: &str) -> Result<(), Failure> {
        fs::write(&self.owner, run).map_err(|error| folder_failure(&self.owner, &error))
    }

    /// The run that created the branch.
    pub(super) fn owner(&self) -> Option<String> {
        fs::read_to_string(&self.owner).ok()
    }

    /// Records that an agent may work there now.
    pub(super) fn begin(&self) -> Result<(), Failure> {
        fs::write(&self.open, "").map_err(|error| folder_failure(&self.open, &error))?;
        let _ = fs::remove_file(&self.refused);
        Ok(())
    }

    /// Records that its work was refused.
    pub(super) fn refuse(&self) {
        let _ = fs::write(&self.refused, "");
    }

    /// Records that its work was imported.
    pub(super) fn end(&self) {
        let _ = fs::remove_file(&self.open);
    }
}

/// The task as an earlier run left it, if it can be continued. Otherwise, work that was not imported is set aside,
/// because it was paid for.
pub(super) fn find(
    repository: &TrustedRepo,
    slug: &Slug,
    folder: &Path,
    marks: &FolderMarks,
    notes: &mut Vec<String>,
) -> Result<Option<TaskRepo>, Failure> {
    if !folder.exists() {
        return Ok(None);
    }
    let tip = repository.task_branch(slug).map_err(|error| to_failure(&error))?;
    let task = TaskRepo::reopen(repository, folder)
        .ok()
        .filter(|_| is_whole(folder));
    let task = task.filter(|task| tip.as_ref() == Some(task.tip()) && task.check_branch().is_ok());
    match task {
        Some(task) if !marks.refused.exists() => {
            if marks.open.exists() {
                notes.push("it continued from the changes that an earlier run had left there".to_owned());
            }
            Ok(Some(task))
        }
        Some(_) | None => put_aside(folder, marks, notes).map(|()| None),
    }
}

/// Sets a folder aside that may contain work that was not imported; otherwise removes it.
pub(super) fn put_aside(folder: &Path, marks: &FolderMarks, notes: &mut Vec<String>) -> Result<(), Failure> {
    let mut numbers = 1_u32..;
    let aside = numbers
        .by_ref()
        .map(|number| folder.with_extension(number.to_string()))
        .find(|aside| !aside.exists())
        .ok_or_else(|| Failure::new(ErrorKind::StorageError, "no free name for the set-aside folder"))?;
    fs::rename(folder, &aside).map_err(|error| folder_failure(folder, &error))?;
    if marks.open.exists() {
        notes.push(format!(
                    "changes of an earlier run could not be imported and are in {}; inspect the files, but do not run git there",
                    aside.join("wt").display()
                ));
    } else if let Err(error) = fs::remove_dir_all(&aside) {
        tracing::debug!(%error, folder = %aside.display(), "the folder of a task stays");
    }
    Ok(())
}

/// Whether all files and folders exist and are not links: a sandbox does not open links.
pub(super) fn is_whole(folder: &Path) -> bool {
    let kind = |name: &str| {
        folder
            .join(name)
            .symlink_metadata()
            .map(|about| about.file_type())
    };
    let folders = ["wt", "git", "tmp", "home", "out", "git/hooks", "git/objects/info"];
    let files = ["wt/.git", "git/HEAD", "git/config"];
    let has_folders = folders
        .iter()
        .all(|name| kind(name).is_ok_and(|kind| kind.is_dir()));
    has_folders
        && files
            .iter()
            .all(|name| kind(name).is_ok_and(|kind| kind.is_file()))
}

/// The id of a folder, one per branch and repository.
pub(super) fn id_of(repository: &TrustedRepo, slug: &Slug) -> String {
    let digest = Sha256::digest(format!("{}\n{slug}", repository.common().display()));
    digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// Removes folders of tasks that no run works in and that hold nothing except what was imported: those that were never
/// finished, those of repositories that are gone, and those that were not used for 30 days. A later run on the branch makes
/// its folder anew. Returns how many there were.
pub fn sweep_tasks(state: &Path, remove: impl Fn(&Path) -> std::io::Result<()>) -> usize {
    let tasks = state.join("tasks");
    let is_leftover = |folder: &Path| {
        let changed = folder.metadata().and_then(|about| about.modified()).ok();
        let is_idle = changed
            .and_then(|at| at.elapsed().ok())
            .is_some_and(|time| time > IDLE);
        is_idle || !TaskRepo::repository_of(folder).is_ok_and(|repository| repository.exists())
    };
    let mut n_removed = 0;
    for entry in fs::read_dir(&tasks).into_iter().flatten().flatten() {
        let (folder, name) = (entry.path(), entry.file_name());
        // What was put aside has a number after its id.
        let id = name.to_str().filter(|name| !name.contains('.'));
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let Some(id) = id.filter(|_| is_folder) else {
            continue;
        };
        let Ok(lock) = open_lock(&tasks.join(format!("{id}.lock"))) else {
            continue;
        };
        let is_free = lock.try_lock().is_ok() && !FolderMarks::of(&tasks, id).open.exists();
        if is_free && is_leftover(&folder) && remove(&folder).is_ok() {
            n_removed += 1;
        }
    }
    n_removed
}

fn open_lock(path: &Path) -> std::io::Result<File> {
    fs::OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .custom_flags(OFlags::NOFOLLOW.bits().cast_signed())
        .open(path)
}

/// Shuts others out of a task for as long as it is open.
pub(super) fn lock(path: &Path, slug: &Slug) -> Result<File, Failure> {
    let file = open_lock(path).map_err(|error| folder_failure(path, &error))?;
    if !hold(&file).map_err(|error| folder_failure(path, &error))? {
        let message = format!(
            "another run is working on {}: wait until it ends, or choose another branch",
            slug.branch()
        );
        return Err(Failure::new(ErrorKind::Conflict, message));
    }
    Ok(file)
}

/// The folder of all tasks. Sandboxes open exactly the given path, so it must not contain links.
pub(super) fn tasks_folder(state: &Path) -> Result<PathBuf, Failure> {
    let path = state.join("tasks");
    make_folder(&path)?;
    fs::canonicalize(&path).map_err(|error| folder_failure(&path, &error))
}

/// The failure for an error, with all its causes.
pub fn to_failure(error: &RepositoryError) -> Failure {
    let mut message = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(reason) = source {
        message = format!("{message}: {reason}");
        source = reason.source();
    }
    Failure::new(ErrorKind::from(error), message)
}
