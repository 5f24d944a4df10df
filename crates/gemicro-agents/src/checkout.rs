//! The private checkout of a branch, recreated and prepared with copied-in files, caches, and the commands of `setup`.

use std::time::Duration;

use gemicro_batch::workshop::{Workshop, copy_over};
use gemicro_event::{ErrorKind, Failure};
use gemicro_guard::repository::TaskSandbox;
use gemicro_guard::sandbox::{Network, ResourceLimits, WriteMode};
use gemicro_pipeline::steps::CheckoutSpec;
use gemicro_pipeline::workflow::NetworkRule;
use tokio_util::sync::CancellationToken;

use super::branch::OnBranch;
use super::caches::{Caches, CheckoutUse, is_free, make};
use super::port_block::PortBlock;
use super::step_tools::{Tools, run_blocking};
use super::task_folder::to_failure;

/// Time limit of one `setup` command.
const SETUP: Duration = Duration::from_secs(30 * 60);

/// A private checkout at the tip of its branch, in which commands can be run.
pub struct Checkout {
    branch: OnBranch,
    /// The sandboxed workshop for commands in it.
    pub workshop: Workshop,
    /// Held for the commands.
    _ports: Option<PortBlock>,
}

/// The result of the `setup` commands.
pub enum SetUp {
    /// All of them succeeded.
    Well,
    /// One failed, for this reason. Tracked files are as committed.
    Failed(String),
    /// Tracked files may differ from the commit, for this reason.
    Unverified(String),
}

impl Checkout {
    /// Recreates the checkout: nothing left there before is kept except the caches that its use allows.
    pub async fn fresh(
        tools: &Tools,
        mut branch: OnBranch,
        place: &CheckoutSpec,
        used: CheckoutUse,
    ) -> Result<Self, Failure> {
        let copied = place.clone();
        let branch = run_blocking(move || {
            let caches = Caches::of(&branch, &copied.caches);
            caches.put_aside()?;
            branch.renew()?;
            caches.bring(used)?;
            if used != CheckoutUse::Own {
                carry(&branch, &copied.carry)?;
            }
            Ok(branch)
        })
        .await?;
        let ports = PortBlock::take();
        let workshop = workshop(tools, &branch, place, ports.as_ref()).await?;
        Ok(Self {
            branch,
            workshop,
            _ports: ports,
        })
    }

    /// Runs the `setup` commands. They execute code from the branch, so they must not change what later steps see of
    /// it: they can only read the git directory, and tracked files are restored afterwards.
    pub async fn set_up(
        self,
        tools: &Tools,
        commands: &[String],
        cancel: &CancellationToken,
    ) -> Result<(Self, SetUp), Failure> {
        if commands.is_empty() {
            return Ok((self, SetUp::Well));
        }
        let set_up = self.run_all(commands, cancel).await?;
        let (setup, tier, branch) = (tools.setup.clone(), self.workshop.tier, self.branch);
        let (branch, restored) = run_blocking(move || {
            let restored = branch.restore(&setup, tier);
            Ok((branch, restored))
        })
        .await?;
        let set_up = match restored {
            Ok(()) => set_up,
            Err(failure) => SetUp::Unverified(format!(
                "the setup commands of the workflow left a checkout that is not the commit: {}",
                failure.message
            )),
        };
        Ok((Self { branch, ..self }, set_up))
    }

    async fn run_all(&self, commands: &[String], cancel: &CancellationToken) -> Result<SetUp, Failure> {
        let workshop = Workshop {
            profile: self.branch.with_readable_git(self.workshop.profile.clone()),
            ..self.workshop.clone()
        };
        for command in commands {
            let ran = workshop.run(command, SETUP, cancel).await?;
            if !ran.is_good() {
                let output = ran.output.trim();
                return Ok(SetUp::Failed(format!(
                    "the setup command `{command}` of the workflow failed: {output}"
                )));
            }
        }
        Ok(SetUp::Well)
    }

    /// Returns the branch, and keeps the caches of the base for later checks.
    pub async fn leave_base(self, caches: &[String]) -> Result<OnBranch, Failure> {
        let (branch, names) = (self.branch, caches.to_vec());
        run_blocking(move || {
            Caches::of(&branch, &names).keep()?;
            Ok(branch)
        })
        .await
    }

    /// Drops the checkout and returns its branch.
    pub fn leave(self) -> OnBranch {
        self.branch
    }

    /// The branch of the checkout.
    pub fn branch(&self) -> &OnBranch {
        &self.branch
    }
}

async fn workshop(
    tools: &Tools,
    branch: &OnBranch,
    place: &CheckoutSpec,
    ports: Option<&PortBlock>,
) -> Result<Workshop, Failure> {
    let tier = tools.tier().await?;
    let setup = &tools.setup;
    let path = setup.search_path();
    let usual = [("PATH", path.as_str()), ("LANG", "C.UTF-8"), ("CI", "true")];
    let usual = usual.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let of_ports = ports.into_iter().flat_map(PortBlock::variables);
    let profile = branch.task_profile(TaskSandbox {
        mode: WriteMode::WorkspaceWrite,
        user_home: setup.user_home.clone(),
        readable: Vec::new(),
        hidden: vec![tools.commons.state().to_owned()],
        network: match place.network {
            NetworkRule::None => Network::None,
            NetworkRule::Full => Network::Open,
        },
        unix_sockets: false,
        limits: ResourceLimits::default(),
        environment: usual.into_iter().chain(of_ports).collect(),
    });
    Ok(Workshop {
        launcher: setup.launcher.clone(),
        tier,
        profile: setup.toolchains()?.open_in(profile),
        folder: branch.worktree(),
        redactor: tools.redactor.clone(),
    })
}

/// Copies ignored files from the user's checkout. Files that git would commit are refused: they could end up on a
/// branch.
fn carry(branch: &OnBranch, paths: &[String]) -> Result<(), Failure> {
    for path in paths {
        let from = branch.repository().top().join(path);
        if from.symlink_metadata().is_err() {
            continue;
        }
        let is_ignored = branch.repository().is_ignored(path);
        if !is_ignored.map_err(|error| to_failure(&error))? {
            let message = format!(
                "`carry: {path}` is not ignored by git, so it could be committed: put it into .gitignore, or leave it out"
            );
            return Err(Failure::new(ErrorKind::InvalidInput, message));
        }
        let to = branch.worktree().join(path);
        if !is_free(&branch.worktree(), &to) {
            let message = format!(
                "`carry: {path}` cannot be copied: the branch has a link or a file where a folder on the way to it should be"
            );
            return Err(Failure::new(ErrorKind::InvalidInput, message));
        }
        make(to.parent())?;
        copy_over(&from, &to, &mut |_, _| Ok(true))?;
    }
    Ok(())
}
