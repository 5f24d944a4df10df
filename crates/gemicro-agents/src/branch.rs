//! A task on its own branch: the agent works in a private repository, and gemicro imports its commits.

use std::fs::File;
use std::path::{Path, PathBuf};

use gemicro_core::ask::{AgentTask, BranchOutcome, SandboxMode};
use gemicro_event::{ErrorKind, Failure};
use gemicro_guard::repository::{
    self, BundleResult, ChangeCounts, GitSettings, Import, ImportResult, ImportWarning, NewTask,
    RepositoryError, ShowOutcome, Slug, TaskRepo, TaskSandbox, TaskStart, Tripwire, TrustedRepo,
    import_unless, show,
};
use gemicro_guard::sandbox::Profile;

use super::branch_import::BranchImport;
use super::pipeline_sandbox::PipelineSandbox;
use super::setup::AgentSetup;
use super::task_folder::{FolderMarks, find, id_of, lock, tasks_folder, to_failure};
use super::tripwire_report::{StepWorkerKind, TripwireReport};
use super::work::SharedWork;

/// A branch that a run works on, locked against other runs.
pub struct OnBranch {
    pub(super) repository: TrustedRepo,
    pub(super) task: TaskRepo,
    /// State of the user's repository before the agent began.
    before: Tripwire,
    pub(super) notes: Vec<String>,
    pub(super) marks: FolderMarks,
    /// The branch was just created.
    is_new: bool,
    /// Restrictions of a pipeline step.
    pub(super) stage: Option<PipelineSandbox>,
    /// The project's instructions for the agent.
    pub(super) instructions: String,
    _lock: File,
}

impl OnBranch {
    /// Opens the branch of a task without blocking the async runtime.
    ///
    /// # Errors
    /// When the repository cannot be worked on; `conflict` while another run works on the branch.
    pub(super) async fn of(shared: &SharedWork, task: &AgentTask, branch: &str) -> Result<Self, Failure> {
        let (setup, state) = (shared.setup.clone(), shared.commons.state().to_owned());
        let (directory, branch) = (task.directory.clone(), branch.to_owned());
        let writes = task.sandbox != SandboxMode::ReadOnly;
        let (agent, tier) = (task.agent, shared.commons.tier(&setup.launcher).await?);
        let opened = tokio::task::spawn_blocking(move || {
            let mut opened = Self::open(&setup, &state, (&directory, &branch), writes)?;
            opened.fit(&setup, tier, agent)?;
            Ok(opened)
        });
        opened.await.unwrap_or_else(|error| Err(crash_failure(&error)))
    }

    /// Ends the work on the branch: reports other changes in the user's repository, and imports the agent's work if
    /// requested.
    pub async fn leave(
        self,
        landing: Option<BranchImport>,
        worker: StepWorkerKind,
    ) -> (TripwireReport, Option<Result<BranchOutcome, Failure>>) {
        let left = tokio::task::spawn_blocking(move || {
            let tripped = self.tripwire_report(worker);
            (tripped, landing.map(|landing| self.land(&landing)))
        });
        left.await
            .unwrap_or_else(|error| (TripwireReport::default(), Some(Err(crash_failure(&error)))))
    }

    /// Ends the work on a branch whose folder contains nothing that still has to be imported.
    pub async fn leave_clean(self, worker: StepWorkerKind) -> TripwireReport {
        let left = tokio::task::spawn_blocking(move || {
            self.marks.end();
            self.tripwire_report(worker)
        });
        left.await.unwrap_or_default()
    }

    /// Ends the work on a branch that a step moved before it was interrupted, with the outcome of that import.
    pub async fn leave_landed(self, worker: StepWorkerKind) -> (TripwireReport, Option<BranchOutcome>) {
        let left = tokio::task::spawn_blocking(move || {
            self.marks.end();
            let tripped = self.tripwire_report(worker);
            let imported = self.task.last_import().cloned();
            (tripped, imported.map(|imported| self.outcome(&imported)))
        });
        left.await.unwrap_or_default()
    }

    /// Opens the task of a branch, and creates it if it does not exist. Blocks.
    pub fn open(
        setup: &AgentSetup,
        state: &Path,
        (directory, branch): (&str, &str),
        task_writes: bool,
    ) -> Result<Self, Failure> {
        let tasks = tasks_folder(state)?;
        let slug: Slug = branch.parse().map_err(|error| to_failure(&error))?;
        let repository = repository(setup, &tasks, directory)?;
        let id = id_of(&repository, &slug);
        let lock = lock(&tasks.join(format!("{id}.lock")), &slug)?;
        // After the work, this error would come too late.
        repository
            .check_not_checked_out(&slug)
            .map_err(|error| to_failure(&error))?;
        let is_new = repository
            .task_branch(&slug)
            .map_err(|error| to_failure(&error))?
            .is_none();
        let notes = repository.notes().iter().map(|note| note.message().to_owned());
        let mut notes: Vec<String> = notes.collect();
        let marks = FolderMarks::of(&tasks, &id);
        let task = match find(&repository, &slug, &tasks.join(&id), &marks, &mut notes)? {
            Some(task) => task,
            None => {
                let (folder, start) = (
                    tasks.join(&id),
                    TaskStart::ContinueOrNew(repository.head().clone()),
                );
                TaskRepo::create(&repository, NewTask { folder, slug, start })
                    .map_err(|error| to_failure(&error))?
            }
        };
        // A read-only agent leaves nothing behind.
        if task_writes {
            marks.begin()?;
        }
        Self::open_branch(repository, task, (notes, marks), is_new, lock)
    }

    pub(super) fn open_branch(
        repository: TrustedRepo,
        task: TaskRepo,
        (notes, marks): (Vec<String>, FolderMarks),
        is_new: bool,
        lock: File,
    ) -> Result<Self, Failure> {
        let before = Tripwire::take(&repository, task.slug()).map_err(|error| to_failure(&error))?;
        Ok(Self {
            repository,
            task,
            before,
            notes,
            marks,
            is_new,
            stage: None,
            instructions: String::new(),
            _lock: lock,
        })
    }

    /// The agent's working directory.
    pub fn worktree(&self) -> PathBuf {
        self.task.worktree()
    }

    /// The last imported commit.
    pub fn tip(&self) -> String {
        self.task.tip().to_string()
    }

    /// The message of that commit.
    pub fn tip_message(&self) -> impl Future<Output = Result<String, Failure>> + use<> {
        let (repository, tip) = (self.repository.clone(), self.task.tip().clone());
        let asked =
            tokio::task::spawn_blocking(move || repository.message(&tip).map_err(|error| to_failure(&error)));
        async move { asked.await.unwrap_or_else(|error| Err(crash_failure(&error))) }
    }

    /// How often files in a folder of the user's checkout changed. Blocks.
    pub fn changes(&self, folder: &Path, most: usize) -> ChangeCounts {
        self.repository.change_counts(folder, most).unwrap_or_default()
    }

    /// The path of a folder of the user's checkout within the repository.
    pub fn inner(&self, folder: &Path) -> Result<PathBuf, Failure> {
        let top = std::fs::canonicalize(self.repository.top());
        let inner = top
            .ok()
            .and_then(|top| folder.strip_prefix(top).ok().map(Path::to_owned));
        inner.ok_or_else(|| {
            let message = format!("{} is not in the repository's checkout", folder.display());
            Failure::new(ErrorKind::InvalidInput, message)
        })
    }

    /// Recreates folder, home and git directory at the tip of the branch. Nothing may be running there. Blocks.
    pub fn renew(&mut self) -> Result<(), Failure> {
        self.task
            .rebuild(&self.repository)
            .map_err(|error| to_failure(&error))
    }

    /// Whether the branch was just created.
    pub fn is_new(&self) -> bool {
        self.is_new
    }

    /// Number of commits in the user's checkout that the branch does not have; 0 if unknown. Blocks.
    pub fn n_missing(&self) -> u64 {
        let repository = &self.repository;
        repository
            .count_missing(repository.head(), self.task.tip())
            .unwrap_or(0)
    }

    /// Deletes a branch that was just created, with its folder.
    pub async fn abandon(self) -> Result<TripwireReport, Failure> {
        let abandoned = tokio::task::spawn_blocking(move || {
            let tripped = self.tripwire_report(StepWorkerKind::Gemicro);
            let (slug, tip) = (self.task.slug().clone(), self.task.tip().clone());
            self.marks.end();
            self.task.discard().map_err(|error| to_failure(&error))?;
            self.repository
                .remove_task_branch(&slug, &tip)
                .map_err(|error| to_failure(&error))?;
            Ok(tripped)
        });
        abandoned.await.unwrap_or_else(|error| Err(crash_failure(&error)))
    }

    /// The sandbox profile for commands that work on the branch.
    pub fn task_profile(&self, sandbox: TaskSandbox) -> Profile {
        self.task.profile(sandbox)
    }

    /// The sandbox profile of the agent: the one it would have in the user's folder, moved to the task.
    pub(super) fn profile(&self, usual: Profile) -> Profile {
        let (home, temporary) = (usual.home.clone(), usual.temporary.clone());
        let sandbox = TaskSandbox {
            mode: usual.mode,
            user_home: usual.user_home,
            readable: usual.readable,
            hidden: usual.hidden,
            network: usual.network,
            unix_sockets: usual.unix_sockets,
            limits: usual.limits,
            environment: usual.environment,
        };
        let profile = match &self.stage {
            Some(stage) => stage.profile(&self.task, sandbox),
            None => self.task.profile(sandbox),
        };
        Profile {
            home,
            temporary,
            shells: usual.shells,
            ..profile
        }
    }

    /// Imports the agent's work. Refused work stays in its folder until the next run on the branch.
    ///
    /// # Errors
    /// `branch_switched`, `import_refused` and other reasons why it cannot be imported: then the branch is unchanged.
    fn land(mut self, landing: &BranchImport) -> Result<BranchOutcome, Failure> {
        if let Some(by) = &landing.by {
            self.marks.mark_landing(by)?;
        }
        let imported = self.take_over(landing).map_err(|error| {
            let kind = ErrorKind::from(&error);
            if let ErrorKind::BranchSwitched | ErrorKind::ImportRefused | ErrorKind::Timeout = kind {
                self.marks.refuse();
            }
            to_failure(&error)
        })?;
        self.marks.end();
        Ok(match imported {
            Import::Done(imported) => self.outcome(&imported),
            Import::Nothing => BranchOutcome {
                notes: self.notes,
                ..BranchOutcome::unmoved_branch(self.task.slug().branch(), self.task.tip().to_string())
            },
        })
    }

    /// The outcome of an import, for which the user's worktree of the branch is updated.
    fn outcome(self, imported: &ImportResult) -> BranchOutcome {
        let mut notes = self.notes;
        let worktree = match show(&self.repository, self.task.slug(), &imported.new) {
            ShowOutcome::At(folder) => Some(folder.display().to_string()),
            ShowOutcome::Left { folder, why } => {
                notes.push(format!("{} was left as it is: {why}", folder.display()));
                None
            }
        };
        BranchOutcome {
            name: self.task.slug().branch(),
            old: imported.old.to_string(),
            new: imported.new.to_string(),
            n_commits: imported.n_commits,
            n_files: u64::try_from(imported.n_files).unwrap_or(u64::MAX),
            insertions: imported.insertions,
            deletions: imported.deletions,
            worktree,
            reports: imported.reports.iter().map(report_text).collect(),
            notes,
        }
    }

    /// Changes in the user's repository in the meantime, other than on the branch.
    fn tripwire_report(&self, worker: StepWorkerKind) -> TripwireReport {
        let after = Tripwire::take(&self.repository, self.task.slug());
        TripwireReport::between(&self.before, after, worker)
    }

    fn take_over(&mut self, landing: &BranchImport) -> Result<Import, RepositoryError> {
        self.task.check_branch()?;
        let inside = landing.inside(&self.task);
        let committed = inside.commit_all(&self.task, &landing.message)?;
        let left_out = committed
            .left_out
            .map(|why| format!("not everything could be committed: {why}"));
        self.notes.extend(left_out);
        match inside.bundle_without(&self.task, &landing.rules.known)? {
            BundleResult::Nothing => Ok(Import::Nothing),
            BundleResult::Something => {
                let repository = &self.repository;
                import_unless(repository, &mut self.task, &landing.rules, |new| {
                    (landing.faults)(repository, new)
                })
            }
        }
    }
}

/// Text before an agent's first prompt on a branch: the rules.
pub(super) fn rules(branch: &str) -> String {
    format!(
        "You work on the branch {branch}, in a private copy of the repository. Commit your work there with `git add` and \
         `git commit`; what you leave uncommitted is committed for you. Do not switch, create, merge, rebase or push \
         branches, do not change git's settings, and write only in this folder. Such calls are denied; if one is, \
         continue without it.\n\n"
    )
}

fn report_text(report: &ImportWarning) -> String {
    let detail = report.detail.iter().map(|detail| format!(" ({detail})"));
    format!("{}: {}{}", report.path, report.kind, detail.collect::<String>())
}

fn crash_failure(error: &tokio::task::JoinError) -> Failure {
    Failure::new(ErrorKind::Internal, error.to_string())
}

/// The user's repository of a folder, for reading only: nothing is created.
pub fn look_at(setup: &AgentSetup, state: &Path, directory: &str) -> Result<TrustedRepo, Failure> {
    let tasks = state.join("tasks");
    repository(setup, &std::fs::canonicalize(&tasks).unwrap_or(tasks), directory)
}

/// The user's repository of a folder.
pub(super) fn repository(setup: &AgentSetup, tasks: &Path, directory: &str) -> Result<TrustedRepo, Failure> {
    TrustedRepo::open(&git_settings(setup, tasks), Path::new(directory)).map_err(|error| to_failure(&error))
}

/// Git settings that keep git from starting programs named by the repository of a folder.
pub(super) async fn programs_off(
    setup: &AgentSetup,
    state: &Path,
    directory: &str,
) -> Result<Vec<(String, String)>, Failure> {
    let (settings, folder) = (
        git_settings(setup, &state.join("tasks")),
        PathBuf::from(directory),
    );
    let found = tokio::task::spawn_blocking(move || repository::programs_off(&settings, &folder)).await;
    found
        .map_err(|error| crash_failure(&error))?
        .map_err(|error| to_failure(&error))
}

fn git_settings(setup: &AgentSetup, tasks: &Path) -> GitSettings {
    let variables = setup.remote_variables.iter();
    let variables = variables.map(|(name, value)| (name.clone(), value.into()));
    GitSettings {
        agent_folders: vec![tasks.to_owned()],
        config_home: setup.environment.get("XDG_CONFIG_HOME").map(PathBuf::from),
        remote_variables: variables.collect(),
        ..GitSettings::new(setup.search_path(), &setup.user_home)
    }
}
