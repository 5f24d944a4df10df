//! Writes gemicro's own documents on the branch.

use std::sync::Arc;

use gemicro_agents::branch_at::{BranchState, by, open};
use gemicro_agents::caches::CheckoutUse;
use gemicro_agents::checkout::Checkout;
use gemicro_agents::step_tools::{Tools, commit, run_blocking};
use gemicro_agents::{BranchImport, OnBranch, StepWorkerKind, to_failure};
use gemicro_core::execute::StepCall;
use gemicro_core::store::Store;
use gemicro_event::Failure;
use gemicro_guard::repository::{CommitMessage, TrustedRepo};
use gemicro_pipeline::payload::DOCUMENT_FOLDER;
use gemicro_pipeline::steps::{IntendedBranch, RecordInput, RecordResult};

use super::merge::look_up;
use super::project_memory::{project_memory, propose};
use super::write_documents::write;

pub(crate) async fn record(
    (tools, store): (&Tools, Arc<dyn Store>),
    input: RecordInput,
    call: &StepCall,
) -> Result<RecordResult, Failure> {
    // First, because a killed step whose commit exists is not repeated; known lessons and skills are not
    // proposed again.
    if input.lessons.is_some() || !input.skills.is_empty() {
        let memory = project_memory(tools, store, &input.place)?;
        propose(&memory, &input, &call.run).await?;
    }
    let branch = match open(tools, &input.place, call).await? {
        BranchState::At(branch) => *branch,
        BranchState::Landed(branch) => {
            let repository = branch.repository().clone();
            let tip = branch.tip();
            let _ = branch.leave_clean(StepWorkerKind::Gemicro).await;
            let old = input.place.tip.clone();
            return run_blocking(move || {
                let paths = repository.changed_paths(&commit(&old)?, &commit(&tip)?);
                record_result(
                    &repository,
                    &tip,
                    paths.map_err(|error| to_failure(&error))?,
                    None,
                )
            })
            .await;
        }
    };
    if let Some(main) = input.unless_moved.clone()
        && let Some(moved) = moved_main(&branch, main).await?
    {
        let (repository, tip) = (branch.repository().clone(), branch.tip());
        let _ = branch.leave_clean(StepWorkerKind::Gemicro).await;
        return run_blocking(move || record_result(&repository, &tip, Vec::new(), Some(moved))).await;
    }
    let repository = branch.repository().clone();
    let checkout = Checkout::fresh(tools, branch, &input.place, CheckoutUse::Own).await?;
    let paths = write(&checkout, &input.records, &call.cancel).await?;
    let message = CommitMessage {
        text: input.message,
        trailers: input.trailers,
    };
    let landing = BranchImport::with(&tools.setup, tools.tier().await?, message)
        .with_mark(by(call))
        .never(input.place.carry.clone())
        .only(vec![format!("{}/", DOCUMENT_FOLDER.trim_end_matches('/'))]);
    let (tripped, landed) = checkout
        .leave()
        .leave(Some(landing), StepWorkerKind::Gemicro)
        .await;
    tripped.tell(&call.reporter);
    let old = input.place.tip;
    let tip = landed
        .transpose()?
        .map_or_else(|| old.clone(), |outcome| outcome.new);
    run_blocking(move || {
        // Files written with unchanged contents are not in the commit.
        let changed = repository.changed_paths(&commit(&old)?, &commit(&tip)?);
        let changed = changed.map_err(|error| to_failure(&error))?;
        let paths = paths.into_iter().filter(|path| changed.contains(path));
        record_result(&repository, &tip, paths.collect(), None)
    })
    .await
}

/// The commit of main, if the branch does not contain it.
async fn moved_main(branch: &OnBranch, main: IntendedBranch) -> Result<Option<String>, Failure> {
    let (repository, tip) = (branch.repository().clone(), branch.tip());
    run_blocking(move || {
        let now = look_up(&repository, &main)?;
        let is_there = repository.is_ancestor(&commit(&now.commit)?, &commit(&tip)?);
        Ok((!is_there.map_err(|error| to_failure(&error))?).then_some(now.commit))
    })
    .await
}

fn record_result(
    repository: &TrustedRepo,
    tip: &str,
    paths: Vec<String>,
    moved: Option<String>,
) -> Result<RecordResult, Failure> {
    let tree = repository.tree_without(&commit(tip)?, &[DOCUMENT_FOLDER]);
    Ok(RecordResult {
        new: tip.to_owned(),
        tree: tree.map_err(|error| to_failure(&error))?,
        paths,
        moved,
    })
}
