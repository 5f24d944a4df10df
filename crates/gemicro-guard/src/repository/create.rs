//! Creates a task's private repository, as plain files.
//!
//! git runs only in the user's repository: it lists the references and fills the worktree, with a separate index. git
//! is never started in the private git directory here.

use std::ffi::OsString;
use std::fmt::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::call::{CallPlace, GitCall};
use super::commit_id::CommitId;
use super::error::RepositoryError;
use super::layout::{self, TaskLayout};
use super::open_beneath::read_small;
use super::record::TaskRecord;
use super::slug::Slug;
use super::task::TaskRepo;
use super::trusted::TrustedRepo;

/// Maximum number of bytes copied from each of `info/exclude` and `shallow`.
const COPIED_BYTES: u64 = 16 << 20;

/// The commit that a task starts from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaskStart {
    /// On a new branch, from this commit. An error if the branch exists.
    New(CommitId),
    /// On an existing branch, from its tip. An error if there is none.
    Continue,
    /// On the tip of the branch if it exists, otherwise on a new branch from this commit. Used when the same branch may
    /// be requested twice.
    ContinueOrNew(CommitId),
}

/// A task to be created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTask {
    /// Its folder, `<state>/tasks/<id>`. The last part is its id; it must not exist, its parent must.
    pub folder: PathBuf,
    /// Gives the branch its name, `task/<slug>`.
    pub slug: Slug,
    /// The commit or branch that the work starts from.
    pub start: TaskStart,
}

impl TaskRepo {
    /// Creates a task: its branch in the user's repository, if it is new, and its folder.
    ///
    /// # Errors
    /// When the branch or folder exists or cannot be created. A branch that was created for the task is removed again.
    pub fn create(repository: &TrustedRepo, new: NewTask) -> Result<Self, RepositoryError> {
        let layout = place(repository, &new.folder)?;
        let branch = NewBranch::take(repository, &new)?;
        let record = TaskRecord::new(new.slug, repository.common().to_path_buf(), branch.tip.clone());
        let (folder, slug) = (layout.folder.clone(), record.slug.clone());
        let made = build_all(repository, &layout, &record);
        made.and_then(|()| Self::from_parts(repository, layout, record))
            .inspect_err(|_| {
                // The error that led here is the one to report.
                let _ = std::fs::remove_dir_all(folder);
                branch.undo(repository, &slug);
            })
    }
}

/// The branch of a new task.
struct NewBranch {
    tip: CommitId,
    is_new: bool,
}

impl NewBranch {
    fn take(repository: &TrustedRepo, new: &NewTask) -> Result<Self, RepositoryError> {
        let missing = || RepositoryError::BranchMissing {
            branch: new.slug.branch(),
        };
        let base = match &new.start {
            TaskStart::New(base) => base,
            TaskStart::Continue => return Self::find_branch(repository, &new.slug)?.ok_or_else(missing),
            TaskStart::ContinueOrNew(base) => match Self::find_branch(repository, &new.slug)? {
                Some(found) => return Ok(found),
                None => base,
            },
        };
        let call = GitCall::new(
            CallPlace::Repository,
            &[
                "update-ref",
                "--no-deref",
                "-m",
                "gemicro: task begins",
                &new.slug.reference(),
                base.as_str(),
                &base.nothing(),
            ],
        );
        let answer = repository.git.run(call)?;
        if answer.code != 0 {
            return Err(RepositoryError::BranchTaken {
                branch: new.slug.branch(),
                line: answer.last_line(),
            });
        }
        Ok(Self {
            tip: base.clone(),
            is_new: true,
        })
    }

    fn find_branch(repository: &TrustedRepo, slug: &Slug) -> Result<Option<Self>, RepositoryError> {
        let Some(tip) = repository.task_branch(slug)? else {
            return Ok(None);
        };
        repository.check_not_checked_out(slug)?;
        Ok(Some(Self { tip, is_new: false }))
    }

    /// Removes a branch that was created for a task that failed.
    fn undo(&self, repository: &TrustedRepo, slug: &Slug) {
        if self.is_new {
            // The error that led here is the one to report.
            let _ = repository.remove_task_branch(slug, &self.tip);
        }
    }
}

/// Checks whether a folder can be used for a task.
fn place(repository: &TrustedRepo, folder: &Path) -> Result<TaskLayout, RepositoryError> {
    let bad = |why| RepositoryError::BadTaskFolder {
        folder: folder.to_path_buf(),
        why,
    };
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let id = folder.file_name().and_then(|name| name.to_str());
    let id = id.filter(|id| (1..=64).contains(&id.len()) && id.chars().all(is_allowed));
    let id = id.ok_or_else(|| bad("its name must be 1 to 64 letters, digits, `-` or `_`"))?;
    let parent = folder.parent().ok_or_else(|| bad("it has no parent"))?;
    // No symbolic links in the path: the sandbox must mount exactly this folder.
    let parent =
        std::fs::canonicalize(parent).map_err(|source| RepositoryError::file("find", parent, source))?;
    let folder = parent.join(id);
    if folder.as_os_str().as_bytes().contains(&b'\n') {
        return Err(RepositoryError::UnusablePath { path: folder });
    }
    let hides = |hidden: &PathBuf| folder.starts_with(hidden);
    if hidden_folders(repository)?.iter().any(hides) {
        return Err(bad(
            "it is inside the repository, which agents must not see; move the state folder",
        ));
    }
    if std::fs::symlink_metadata(&folder).is_ok() {
        return Err(RepositoryError::FolderTaken { folder });
    }
    Ok(TaskLayout { folder })
}

/// The user's repository and all its checkouts.
pub(super) fn hidden_folders(repository: &TrustedRepo) -> Result<Vec<PathBuf>, RepositoryError> {
    let mut folders = vec![repository.common().to_path_buf(), repository.top().to_path_buf()];
    folders.extend(
        repository
            .checkouts()?
            .into_iter()
            .map(|checkout| checkout.folder),
    );
    folders = folders
        .iter()
        .filter_map(|folder| std::fs::canonicalize(folder).ok())
        .collect();
    folders.sort();
    folders.dedup();
    Ok(folders)
}

fn build_all(
    repository: &TrustedRepo,
    layout: &TaskLayout,
    record: &TaskRecord,
) -> Result<(), RepositoryError> {
    for folder in [&layout.folder, &layout.temporary(), &layout.home(), &layout.out()] {
        layout::make_folder(folder)?;
    }
    build(repository, layout, record)?;
    record.write(&layout.folder)
}

/// Creates the worktree and git directory at the record's tip. Neither may exist.
pub(super) fn build(
    repository: &TrustedRepo,
    layout: &TaskLayout,
    record: &TaskRecord,
) -> Result<(), RepositoryError> {
    let git = layout.git_directory();
    for part in [
        "",
        "objects",
        "objects/info",
        "objects/pack",
        "refs",
        "refs/heads",
        "refs/tags",
        "hooks",
        "info",
    ] {
        layout::make_folder(&git.join(part))?;
    }
    let write = |name: &str, bytes: &[u8]| layout::write_new(&git.join(name), bytes);
    write("HEAD", format!("ref: {}\n", record.slug.reference()).as_bytes())?;
    write("config", config(repository, &record.tip)?.as_bytes())?;
    write("packed-refs", &packed_refs(repository, record)?)?;
    write("objects/info/alternates", &lines(repository.object_folders()))?;
    for name in ["info/exclude", "shallow"] {
        // Both may be missing. Following a link could copy any file of the user to where the agent reads.
        if let Ok(bytes) = read_small(repository.common(), name, COPIED_BYTES) {
            write(name, &bytes)?;
        }
    }
    let worktree = layout.worktree();
    layout::make_folder(&worktree)?;
    let mut call = GitCall::new(CallPlace::Repository, &[]);
    let mut option = OsString::from("--work-tree=");
    option.push(&worktree);
    call.arguments = vec![option];
    call.arguments
        .extend(["read-tree", "--reset", "-u", record.tip.as_str()].map(OsString::from));
    call.variables = vec![("GIT_INDEX_FILE", git.join("index").into())];
    // All files exactly as they are stored, in one index file.
    for (name, value) in [
        ("core.sparseCheckout", "false"),
        ("index.sparse", "false"),
        ("core.splitIndex", "false"),
        ("core.autocrlf", "false"),
        ("core.eol", "lf"),
        ("core.symlinks", "true"),
        ("core.fileMode", "true"),
    ] {
        call.settings.push((name.to_owned(), value.to_owned()));
    }
    repository.git.ok(call)?;
    layout::write_new(&worktree.join(".git"), &pointer(&git))
}

/// The content of the worktree's `.git` file, which points to the git directory.
pub(super) fn pointer(git: &Path) -> Vec<u8> {
    [b"gitdir: ", git.as_os_str().as_bytes(), b"\n"].concat()
}

/// The private settings: only name and email come from the user, and git neither runs maintenance nor signs. Nothing is
/// synced to disk: after a power cut a task is rebuilt from its last import.
fn config(repository: &TrustedRepo, tip: &CommitId) -> Result<String, RepositoryError> {
    let is_sha256 = tip.as_str().len() == 64;
    let (name, email) = identity(repository)?;
    let mut text = format!(
        "[core]\n\trepositoryformatversion = {}\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n\
         \tautocrlf = false\n\teol = lf\n\tfsync = none\n[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n\
         [commit]\n\tgpgsign = false\n[tag]\n\tgpgsign = false\n[user]\n\tname = {}\n\temail = {}\n",
        u8::from(is_sha256),
        quoted(&name),
        quoted(&email),
    );
    if is_sha256 {
        text.push_str("[extensions]\n\tobjectformat = sha256\n");
    }
    Ok(text)
}

/// Name and email address of the committer in a task.
pub(super) fn identity(repository: &TrustedRepo) -> Result<(String, String), RepositoryError> {
    Ok((
        user_setting(repository, "user.name", "gemicro")?,
        user_setting(repository, "user.email", "gemicro@localhost")?,
    ))
}

fn user_setting(repository: &TrustedRepo, key: &str, default: &str) -> Result<String, RepositoryError> {
    let call = GitCall::new(CallPlace::Checkout(repository.top()), &["config", "--get", key]);
    let value = repository.git.run(call)?.text();
    Ok(if value.is_empty() {
        default.to_owned()
    } else {
        value
    })
}

fn quoted(value: &str) -> String {
    let one_line: String = value.chars().filter(|c| !c.is_control()).collect();
    format!("\"{}\"", one_line.replace('\\', "\\\\").replace('"', "\\\""))
}

/// The user's references, so that `git diff main...HEAD` works. Sorted, and without the optional peeled lines.
fn packed_refs(repository: &TrustedRepo, record: &TaskRecord) -> Result<Vec<u8>, RepositoryError> {
    let asked = [
        "for-each-ref",
        "--format=%(refname) %(objectname)",
        "refs/heads",
        "refs/tags",
        "refs/remotes",
    ];
    let own = record.slug.reference();
    let text = repository.git.text(&asked)?;
    let mut references: Vec<(&str, &str)> = text.lines().filter_map(|line| line.split_once(' ')).collect();
    references.retain(|(name, _)| *name != own);
    // The branch as the task knows it, even if it has been moved since.
    references.push((&own, record.tip.as_str()));
    references.sort_unstable();
    let mut packed = "# pack-refs with: sorted \n".to_owned();
    for (name, object) in references {
        let _ = writeln!(packed, "{object} {name}");
    }
    Ok(packed.into_bytes())
}

fn lines(paths: &[PathBuf]) -> Vec<u8> {
    paths
        .iter()
        .flat_map(|path| [path.as_os_str().as_bytes(), b"\n"].concat())
        .collect()
}
