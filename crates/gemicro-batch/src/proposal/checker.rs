//! Executes steps of kind `test_check`: reads the patch and, if requested, tries it on a private copy of the project.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use gemicro_core::execute::{Executor, StepCall};
use gemicro_core::flow::{StepFailure, StepOutput};
use gemicro_event::{ErrorKind, Failure, StreamId};
use gemicro_guard::sandbox::{Network, PinnedPath, Profile, ResourceLimits, Shells, WriteMode};

use super::check::{ProposalCheckInput, ProposalChecked, TestTrial, TriedTest};
use super::ready::{ReadyProposal, ready};
use crate::project::Project;
use crate::shell::{ShellSetup, check_policy};
use crate::workshop::{PrivateCopy, Workshop, private_copy};

/// Checks proposed tests.
#[derive(Debug, Clone)]
pub struct CheckExecutor {
    setup: Arc<ShellSetup>,
}

impl CheckExecutor {
    /// An executor that runs commands like shell tasks.
    #[must_use]
    pub fn new(setup: ShellSetup) -> Self {
        Self {
            setup: Arc::new(setup),
        }
    }
}

impl Executor for CheckExecutor {
    fn execute(&self, call: StepCall) -> BoxFuture<'static, Result<StepOutput, StepFailure>> {
        let setup = self.setup.clone();
        Box::pin(async move {
            let input = call.step.read_input()?;
            let checked = check(&setup, input, &call).await.map_err(StepFailure::free)?;
            StepOutput::free(&checked)
        })
    }

    /// Its commands end with the driver.
    fn survives_driver(&self) -> bool {
        false
    }
}

async fn check(
    setup: &ShellSetup,
    input: ProposalCheckInput,
    call: &StepCall,
) -> Result<ProposalChecked, Failure> {
    let project = Project::open(input.directory.as_ref())?;
    let ReadyProposal { patch, files, texts } = match ready(&project, &input.answer, &input.leave) {
        Ok(ready) => ready,
        Err(unusable) => {
            return Ok(ProposalChecked {
                patch: unusable.patch,
                files: unusable.files,
                problem: Some(unusable.problem),
                tried: None,
            });
        }
    };
    let tried = match &input.trying {
        None => None,
        Some(trying) => Some(try_on_copy(setup, &project, trying, &texts, call).await?),
    };
    Ok(ProposalChecked {
        patch,
        files,
        problem: None,
        tried,
    })
}

async fn try_on_copy(
    setup: &ShellSetup,
    project: &Project,
    trying: &TestTrial,
    texts: &[crate::patch::NewText],
    call: &StepCall,
) -> Result<TriedTest, Failure> {
    check_policy(&setup.policy, &trying.command, project.root(), project.root())?;
    let root = setup.scratch.join(format!("{}-{}", call.run, StreamId::random()));
    let from = project.root().to_owned();
    let copy = tokio::task::spawn_blocking(move || private_copy(&from, &root)).await;
    let copy = copy.map_err(internal)??;
    let workshop = Workshop {
        launcher: setup.launcher.clone(),
        tier: setup.tier,
        profile: setup.toolchains.open_in(profile(setup, trying, &copy)),
        folder: copy.project(),
        redactor: setup.redactor.clone(),
    };
    for text in texts {
        workshop.write(&text.path, &text.new, &call.cancel).await?;
    }
    let limit = Duration::from_millis(trying.timeout_ms);
    let ran = workshop.run(&trying.command, limit, &call.cancel).await?;
    let removed = tokio::task::spawn_blocking(move || drop(copy));
    removed.await.map_err(internal)?;
    Ok(TriedTest {
        exit_code: ran.exit_code,
        output: ran.output,
    })
}

fn profile(setup: &ShellSetup, trying: &TestTrial, copy: &PrivateCopy) -> Profile {
    let usual = [("PATH", setup.path.as_str()), ("LANG", "C.UTF-8")];
    let usual = usual.map(|(name, value)| (name.to_owned(), value.to_owned()));
    Profile {
        mode: WriteMode::WorkspaceWrite,
        workspace: copy.project(),
        writable: Vec::new(),
        pinned: Vec::new(),
        pinning: PinnedPath::WherePossible,
        shells: Shells::Within,
        readable: Vec::new(),
        hidden: setup.hidden.clone(),
        user_home: setup.user_home.clone(),
        home: copy.home(),
        temporary: copy.temporary(),
        network: Network::None,
        unix_sockets: false,
        limits: ResourceLimits::default(),
        environment: usual
            .into_iter()
            .chain(trying.variables.iter().cloned())
            .collect(),
    }
}

fn internal(error: impl std::fmt::Display) -> Failure {
    Failure::new(ErrorKind::Internal, error.to_string())
}
