//! Merges main into the branch if there are no conflicts.

use gemicro_agents::branch_at::{BranchState, by, open};
use gemicro_agents::caches::CheckoutUse;
use gemicro_agents::checkout::Checkout;
use gemicro_agents::step_tools::{Tools, commit, run_blocking};
use gemicro_agents::{BranchImport, StepWorkerKind, to_failure};
use gemicro_core::execute::StepCall;
use gemicro_event::Failure;
use gemicro_guard::repository::{self, CommitMessage, MainBranchFrom, Merge, TrustedRepo};
use gemicro_pipeline::payload::DOCUMENT_FOLDER;
use gemicro_pipeline::steps::{IntendedBranch, MergeInput, MergeOutcome, MergeResult};

pub(crate) async fn merge(tools: &Tools, input: MergeInput, call: &StepCall) -> Result<MergeResult, Failure> {
    let tier = tools.tier().await?;
    let branch = match open(tools, &input.place, call).await? {
        BranchState::At(branch) => *branch,
        BranchState::Landed(branch) => {
            let (repository, tip) = (branch.repository().clone(), branch.tip());
            let _ = branch.leave_clean(StepWorkerKind::Gemicro).await;
            return run_blocking(move || {
                let main = look_up(&repository, &input.main)?;
                merge_result(&repository, main, MergeOutcome::Merged, tip)
            })
            .await;
        }
    };
    let repository = branch.repository().clone();
    let (look, main) = (repository.clone(), input.main.clone());
    let main = run_blocking(move || look_up(&look, &main)).await?;
    let theirs = commit(&main.commit)?;
    let checkout = Checkout::fresh(tools, branch, &input.place, CheckoutUse::Own).await?;
    let branch = checkout.leave();
    let message = CommitMessage {
        text: input.message,
        trailers: input.trailers,
    };
    let (setup, said) = (tools.setup.clone(), message.clone());
    let (branch, outcome) = run_blocking(move || {
        let outcome = branch.merge(&setup, tier, &theirs, &said)?;
        Ok((branch, outcome))
    })
    .await?;
    match outcome {
        Merge::UpToDate => {
            let _ = branch.leave_clean(StepWorkerKind::Gemicro).await;
            run_blocking(move || merge_result(&repository, main, MergeOutcome::UpToDate, input.place.tip))
                .await
        }
        Merge::Conflict { files, text } => {
            let _ = branch.leave_clean(StepWorkerKind::Gemicro).await;
            let conflict = run_blocking(move || {
                merge_result(&repository, main, MergeOutcome::Conflict, input.place.tip)
            })
            .await?;
            Ok(MergeResult {
                files,
                words: text,
                ..conflict
            })
        }
        Merge::Clean => {
            let landing = BranchImport::with(&tools.setup, tier, message)
                .with_mark(by(call))
                .with_known_commit(commit(&main.commit)?);
            let (tripped, landed) = branch.leave(Some(landing), StepWorkerKind::Gemicro).await;
            tripped.tell(&call.reporter);
            let tip = landed.transpose()?.map_or(input.place.tip, |outcome| outcome.new);
            run_blocking(move || merge_result(&repository, main, MergeOutcome::Merged, tip)).await
        }
    }
}

/// The current state of main.
pub(super) fn look_up(repository: &TrustedRepo, main: &IntendedBranch) -> Result<IntendedBranch, Failure> {
    let found = match &main.remote {
        Some(remote) => repository.main_branch(Some(remote)),
        None => repository.local_main_branch(),
    };
    Ok(main_branch(found.map_err(|error| to_failure(&error))?))
}

/// Converts main to the type that steps use.
pub(super) fn main_branch(main: repository::MainBranch) -> IntendedBranch {
    IntendedBranch {
        name: main.name,
        commit: main.commit.to_string(),
        remote: match main.from {
            MainBranchFrom::Local => None,
            MainBranchFrom::Remote(name) => Some(name),
        },
    }
}

fn merge_result(
    repository: &TrustedRepo,
    main: IntendedBranch,
    outcome: MergeOutcome,
    tip: String,
) -> Result<MergeResult, Failure> {
    let tree = repository.tree_without(&commit(&tip)?, &[DOCUMENT_FOLDER]);
    Ok(MergeResult {
        main,
        outcome,
        tree: tree.map_err(|error| to_failure(&error))?,
        new: tip,
        files: Vec::new(),
        words: String::new(),
    })
}
