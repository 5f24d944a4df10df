//! Opens the branch of a task at the expected commit.

use gemicro_core::execute::StepCall;
use gemicro_event::redact::Redactor;
use gemicro_event::{ErrorKind, Failure};
use gemicro_guard::repository::{CommitMessage, TrustedRepo};
use gemicro_pipeline::steps::{AgentWork, CheckoutSpec, HandoverContent, IntendedBranch};
use tokio_util::sync::CancellationToken;

use super::branch::OnBranch;
use super::caches::CheckoutUse;
use super::checkout::{Checkout, SetUp};
use super::step_tools::{Tools, commit, run_blocking};
use super::task_folder::to_failure;
use super::work::{AgentJob, SharedWork};

/// Maximum size of a diff that is handed over, in bytes.
const MOST_DIFF: usize = 4 << 20;

/// The state in which a step found a branch.
pub enum BranchState {
    /// It is at the expected commit.
    At(Box<OnBranch>),
    /// This step moved it before it was interrupted.
    Landed(Box<OnBranch>),
}

/// Opens the branch of a checkout. Fails with `conflict` if it is not at the expected commit, because that change was
/// not reviewed.
pub async fn open(tools: &Tools, place: &CheckoutSpec, call: &StepCall) -> Result<BranchState, Failure> {
    open_marked(tools, place, Some(by(call))).await
}

async fn open_marked(
    tools: &Tools,
    place: &CheckoutSpec,
    by: Option<String>,
) -> Result<BranchState, Failure> {
    let (setup, state) = (tools.setup.clone(), tools.commons.state().to_owned());
    let place = place.clone();
    run_blocking(move || {
        let branch = OnBranch::reopen(&setup, &state, (&place.directory, &place.branch))?;
        if branch.tip() == place.tip {
            return Ok(BranchState::At(Box::new(branch)));
        }
        if by.is_some() && branch.landed_by() == by {
            return Ok(BranchState::Landed(Box::new(branch)));
        }
        let message = format!(
            "{} is at {}, not at {} where the task left it: another process changed it, so verdicts about it no \
             longer count",
            place.branch,
            branch.tip(),
            place.tip
        );
        Err(Failure::new(ErrorKind::Conflict, message))
    })
    .await
}

/// Opens the branch for a step that commits nothing.
pub async fn open_plain(tools: &Tools, place: &CheckoutSpec, call: &StepCall) -> Result<OnBranch, Failure> {
    match open(tools, place, call).await? {
        BranchState::At(branch) | BranchState::Landed(branch) => Ok(*branch),
    }
}

/// The mark of a step that commits.
pub fn by(call: &StepCall) -> String {
    format!("{} {}", call.run, call.step.key)
}

/// The branch that an agent works on, or `None` if it works without one.
pub(super) async fn branch_of(
    work: &AgentJob,
    shared: &SharedWork,
    cancel: &CancellationToken,
) -> Result<Option<OnBranch>, Failure> {
    match (work, &work.task().branch) {
        (AgentJob::Staged(work), _) => {
            let tools = Tools {
                commons: shared.commons.clone(),
                setup: shared.setup.clone(),
                redactor: Redactor::new(&shared.secrets),
            };
            open_for_agent(&tools, work, cancel).await.map(Some)
        }
        (AgentJob::Task(task), Some(branch)) => OnBranch::of(shared, task, branch).await.map(Some),
        (AgentJob::Task(_) | AgentJob::Text(_), _) => Ok(None),
    }
}

/// Opens the branch for an agent's step, and prepares its private checkout.
async fn open_for_agent(
    tools: &Tools,
    work: &AgentWork,
    cancel: &CancellationToken,
) -> Result<OnBranch, Failure> {
    // An agent step never commits to the branch itself, so the branch cannot carry its mark.
    let mut branch = match open_marked(tools, &work.place, None).await? {
        BranchState::At(branch) | BranchState::Landed(branch) => *branch,
    };
    if !work.goes_on {
        branch = usable(tools, branch, &work.place, cancel).await?;
        if let Some(main) = &work.merge {
            branch = begin_merge(tools, branch, main).await?;
        }
    }
    branch = fit_checkout(tools, branch, work).await?;
    let (files, from_tip) = (work.handover.clone(), work.place.tip.clone());
    run_blocking(move || {
        for file in &files {
            let bytes = match &file.content {
                HandoverContent::Text { text } => text.clone().into_bytes(),
                HandoverContent::Diff { from } => difference(branch.repository(), from, &from_tip)?,
            };
            branch.write_handover(&file.name, &bytes)?;
        }
        Ok(branch)
    })
    .await
}

/// Restricts what this agent sees and may write in the checkout.
async fn fit_checkout(tools: &Tools, mut branch: OnBranch, work: &AgentWork) -> Result<OnBranch, Failure> {
    let (tier, setup, agent) = (tools.tier().await?, tools.setup.clone(), work.task.agent);
    let only = work.only.clone();
    run_blocking(move || {
        branch.stage(only);
        branch.fit(&setup, tier, agent)?;
        Ok(branch)
    })
    .await
}

/// Prepares a checkout for an agent. If setup fails because of an agent's changes, the agent still gets the checkout:
/// the checks will report the failure, and agents have to fix it.
async fn usable(
    tools: &Tools,
    branch: OnBranch,
    place: &CheckoutSpec,
    cancel: &CancellationToken,
) -> Result<OnBranch, Failure> {
    let checkout = Checkout::fresh(tools, branch, place, CheckoutUse::Agent).await?;
    let (checkout, set_up) = checkout.set_up(tools, &place.setup, cancel).await?;
    match set_up {
        SetUp::Well => Ok(checkout.leave()),
        SetUp::Failed(fault) => {
            tracing::warn!(%fault, "an agent works in a checkout that is not set up");
            Ok(checkout.leave())
        }
        SetUp::Unverified(fault) => {
            tracing::warn!(%fault, "an agent works in a checkout in which no setup was run");
            let checkout = Checkout::fresh(tools, checkout.leave(), place, CheckoutUse::Agent).await?;
            Ok(checkout.leave())
        }
    }
}

/// All changes of the branch since a commit.
fn difference(repository: &TrustedRepo, from: &str, tip: &str) -> Result<Vec<u8>, Failure> {
    let diff = repository
        .diff(&commit(from)?, &commit(tip)?, MOST_DIFF)
        .map_err(|error| to_failure(&error))?;
    let mut text = String::new();
    if !diff.unshown.is_empty() {
        let names: String = diff.unshown.iter().map(|name| format!("- {name}\n")).collect();
        text = format!(
            "The content of these files is not shown here, or not to its end; look at the files themselves:\n{names}\n"
        );
    }
    text.push_str(&diff.text);
    if diff.is_cut {
        text.push_str("\n(the rest is left out: look at the files that are named at the top)\n");
    }
    Ok(text.into_bytes())
}

/// Begins the merge whose conflicts the agent is to resolve.
async fn begin_merge(tools: &Tools, branch: OnBranch, main: &IntendedBranch) -> Result<OnBranch, Failure> {
    let tier = tools.tier().await?;
    let (setup, theirs) = (tools.setup.clone(), commit(&main.commit)?);
    let text = format!("Merge {} into {}", main.name, branch.name());
    run_blocking(move || {
        let message = CommitMessage {
            text,
            trailers: Vec::new(),
        };
        branch.merge(&setup, tier, &theirs, &message)?;
        Ok(branch)
    })
    .await
}
