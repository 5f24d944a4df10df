//! The workshop of a loop: the private repository of its branch, checked out at the branch's tip.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::BoxFuture;
use gemicro_agents::step_tools::Tools;
use gemicro_agents::{BranchImport, OnBranch, StepWorkerKind, TripwireReport};
use gemicro_batch::ooda::ObserveInput;
use gemicro_batch::patch::NewText;
use gemicro_batch::strategy::FileChangeCounts;
use gemicro_batch::workshop::{Renewable, Toolchains, Workshop};
use gemicro_core::ask::BranchOutcome;
use gemicro_event::{ErrorKind, Failure, StepKey, StreamId};
use gemicro_guard::repository::CommitMessage;
use gemicro_guard::sandbox::{Network, ResourceLimits, Tier, WriteMode};
use tokio_util::sync::CancellationToken;

/// Maximum number of commits that count for a ranking.
const COMMITS: usize = 500;

/// A branch and its workshop, locked against other processes.
pub(super) struct BranchWorkshop {
    branch: Arc<Mutex<OnBranch>>,
    workshop: Workshop,
    toolchains: Toolchains,
    pub(super) changes: FileChangeCounts,
    tier: Tier,
    /// Number of commits in the user's checkout that the branch does not have.
    n_missing: u64,
}

impl BranchWorkshop {
    /// Opens the branch of a loop; discards what an earlier step left uncommitted.
    pub(super) async fn open(tools: &Tools, place: &ObserveInput) -> Result<Self, Failure> {
        let tier = tools.commons.tier(&tools.setup.launcher).await?;
        if tier == Tier::None {
            let message =
                "a loop runs the tests of a model, which needs a sandbox, and this machine has none";
            return Err(Failure::new(ErrorKind::SandboxUnavailable, message));
        }
        let (setup, state) = (tools.setup.clone(), tools.commons.state().to_owned());
        let (directory, name) = (place.directory.clone(), place.branch.clone());
        let opened = tokio::task::spawn_blocking(move || {
            let branch = OnBranch::open(&setup, &state, (&directory, &name), true)?;
            let changes = branch.changes(Path::new(&directory), COMMITS);
            let inner = branch.inner(Path::new(&directory))?;
            let n_missing = branch.n_missing();
            Ok::<_, Failure>((branch, changes, inner, n_missing))
        });
        let (branch, changes, inner, n_missing) = opened.await.map_err(internal)??;
        let (workshop, toolchains) = workshop(tools, place, (&branch, tier, inner))?;
        let opened = Self {
            branch: Arc::new(Mutex::new(branch)),
            workshop,
            toolchains,
            changes: FileChangeCounts {
                n_commits: changes.n_commits,
                by_file: changes.by_file,
            },
            tier,
            n_missing,
        };
        opened.renew().await?;
        if !opened.workshop.folder().is_dir() {
            let message = format!("{} is not in the commit that the branch is at", place.directory);
            return Err(Failure::new(ErrorKind::NotFound, message));
        }
        Ok(opened)
    }

    /// The commit that is checked out.
    pub(super) fn tip(&self) -> String {
        self.lock_checkout().tip()
    }

    /// Whether the branch was just created.
    pub(super) fn is_new(&self) -> bool {
        self.lock_checkout().is_new()
    }

    /// A note about the branch for the user, before it is measured.
    pub(super) fn note(&self) -> Option<String> {
        let n_missing = self.n_missing;
        let commits = if n_missing == 1 { "commit" } else { "commits" };
        (n_missing > 0).then(|| {
            format!(
                "the branch is {n_missing} {commits} behind your checkout: merge them into it, or name another one with --branch"
            )
        })
    }

    /// Deletes the branch: nothing was committed on it.
    pub(super) async fn abandon(self) -> Result<TripwireReport, Failure> {
        let_go(self.branch)?.abandon().await
    }

    /// Whether the tip was committed by this step before a crash.
    pub(super) async fn was_made_by(&self, run: &StreamId, step: &StepKey) -> Result<bool, Failure> {
        let asked = self.lock_checkout().tip_message();
        let message = asked.await?;
        let says = |name: &str, value: &str| message.lines().any(|line| line == format!("{name}: {value}"));
        Ok(says("Gemicro-Run", run.as_str()) && says("Gemicro-Step", step.as_str()))
    }

    /// Commits only these texts, and moves the user's branch forward.
    pub(super) async fn land(
        self,
        tools: &Tools,
        texts: &[NewText],
        message: CommitMessage,
        cancel: &CancellationToken,
    ) -> Result<
        (
            Workshop,
            FileChangeCounts,
            TripwireReport,
            Result<BranchOutcome, Failure>,
        ),
        Failure,
    > {
        self.renew().await?;
        for text in texts {
            self.workshop.write(&text.path, &text.new, cancel).await?;
        }
        let landing = BranchImport::with(&tools.setup, self.tier, message);
        let (tripped, outcome) = let_go(self.branch)?
            .leave(Some(landing), StepWorkerKind::Agent)
            .await;
        let outcome = outcome.unwrap_or_else(|| Err(internal("the branch was left without a landing")));
        Ok((self.workshop, self.changes, tripped, outcome))
    }

    /// Leaves the branch unchanged in the user's repository, with nothing uncommitted.
    pub(super) async fn leave(self) -> Result<TripwireReport, Failure> {
        self.renew().await?;
        Ok(let_go(self.branch)?.leave_clean(StepWorkerKind::Agent).await)
    }

    fn lock_checkout(&self) -> MutexGuard<'_, OnBranch> {
        self.branch.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Renewable for BranchWorkshop {
    fn workshop(&self) -> &Workshop {
        &self.workshop
    }

    fn renew(&self) -> BoxFuture<'_, Result<(), Failure>> {
        Box::pin(async move {
            let branch = self.branch.clone();
            let renewed = tokio::task::spawn_blocking(move || {
                branch.lock().unwrap_or_else(PoisonError::into_inner).renew()
            });
            renewed.await.map_err(internal)??;
            self.toolchains.link(&self.workshop.profile);
            Ok(())
        })
    }
}

/// Takes the branch back when its workshop is no longer used.
fn let_go(branch: Arc<Mutex<OnBranch>>) -> Result<OnBranch, Failure> {
    let branch = Arc::try_unwrap(branch).map_err(|_| internal("a workshop is still being renewed"))?;
    Ok(branch.into_inner().unwrap_or_else(PoisonError::into_inner))
}

fn workshop(
    tools: &Tools,
    place: &ObserveInput,
    (branch, tier, inner): (&OnBranch, Tier, PathBuf),
) -> Result<(Workshop, Toolchains), Failure> {
    let setup = &tools.setup;
    let path = setup.environment.get("PATH").cloned().unwrap_or_default();
    let usual = [("PATH", path.as_str()), ("LANG", "C.UTF-8")];
    let usual = usual.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let given = place.commands.environment.iter().cloned();
    let profile = branch.task_profile(gemicro_guard::repository::TaskSandbox {
        mode: WriteMode::WorkspaceWrite,
        user_home: setup.user_home.clone(),
        readable: Vec::new(),
        hidden: vec![tools.commons.state().to_owned()],
        network: Network::None,
        unix_sockets: false,
        limits: ResourceLimits::default(),
        environment: usual.into_iter().chain(given).collect(),
    });
    let toolchains = setup.toolchains()?;
    let workshop = Workshop {
        launcher: setup.launcher.clone(),
        tier,
        profile: toolchains.open_in(profile),
        folder: branch.worktree().join(inner),
        redactor: tools.redactor.clone(),
    };
    Ok((workshop, toolchains))
}

fn internal(error: impl std::fmt::Display) -> Failure {
    Failure::new(ErrorKind::Internal, error.to_string())
}
