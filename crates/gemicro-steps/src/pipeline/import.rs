//! Imports an agent's work from its private checkout, and checks it against the agent's claims.

use gemicro_agents::branch_at::{BranchState, by, open};
use gemicro_agents::step_tools::{Tools, commit, run_blocking};
use gemicro_agents::{BranchImport, StepWorkerKind, to_failure};
use gemicro_core::ask::BranchOutcome;
use gemicro_core::execute::StepCall;
use gemicro_event::Failure;
use gemicro_guard::repository::{CommitMessage, TrustedRepo};
use gemicro_pipeline::payload::DOCUMENT_FOLDER;
use gemicro_pipeline::steps::{AgentClaim, ImportInput, ImportStepResult, reserved_paths};

use super::claims::{ClaimResults, MOST_COMMITS, hold};

/// Folders that gemicro itself writes, before and after an agent's commits.
const DOCUMENT_FOLDERS: [&str; 8] = [
    DOCUMENT_FOLDER,
    "docs/dev_docs/research",
    "docs/dev_docs/plans",
    "docs/dev_docs/reviews",
    "docs/dev_docs/archived",
    "docs/dev_docs/archived/research",
    "docs/dev_docs/archived/plans",
    "docs/dev_docs/archived/reviews",
];

pub(crate) async fn import(
    tools: &Tools,
    input: ImportInput,
    call: &StepCall,
) -> Result<ImportStepResult, Failure> {
    let tier = tools.tier().await?;
    let (outcome, repository) = match open(tools, &input.place, call).await? {
        BranchState::At(branch) => {
            let repository = branch.repository().clone();
            let message = CommitMessage {
                text: input.message.clone(),
                trailers: input.trailers.clone(),
            };
            let mut landing = BranchImport::with(&tools.setup, tier, message)
                .with_mark(by(call))
                .never(input.place.carry.clone())
                .with_reserved_paths(reserved_paths(input.phase.own.as_ref()))
                .plain(DOCUMENT_FOLDERS.map(str::to_owned).to_vec());
            if let Some(only) = &input.only {
                landing = landing.only(only.clone());
            }
            if let AgentClaim::Merge { theirs, .. } = &input.claim {
                // After a merge is on the branch, no later step checks that it matches git's own merge.
                let judged = input.clone();
                landing = landing
                    .with_known_commit(commit(theirs)?)
                    .unless(move |repository, new| Ok(hold(repository, &judged, new)?.faults));
            }
            let (tripped, landed) = branch.leave(Some(landing), StepWorkerKind::Gemicro).await;
            tripped.tell(&call.reporter);
            (landed.transpose()?, repository)
        }
        // It was imported before a crash.
        BranchState::Landed(branch) => {
            let repository = branch.repository().clone();
            let tip = branch.tip();
            let (tripped, landed) = branch.leave_landed(StepWorkerKind::Gemicro).await;
            tripped.tell(&call.reporter);
            // A task of an older gemicro does not know what it imported.
            let landed = landed.unwrap_or_else(|| moved_branch(&input, tip));
            (Some(landed), repository)
        }
    };
    let outcome = outcome.unwrap_or_else(|| moved_branch(&input, input.place.tip.clone()));
    run_blocking(move || import_result(&repository, &input, outcome)).await
}

/// The outcome of an import of which only the new tip is known.
fn moved_branch(input: &ImportInput, tip: String) -> BranchOutcome {
    BranchOutcome {
        new: tip,
        ..BranchOutcome::unmoved_branch(input.place.branch.clone(), input.place.tip.clone())
    }
}

fn import_result(
    repository: &TrustedRepo,
    input: &ImportInput,
    outcome: BranchOutcome,
) -> Result<ImportStepResult, Failure> {
    let (old, new) = (commit(&outcome.old)?, commit(&outcome.new)?);
    let held = hold(repository, input, &new).map_err(|error| to_failure(&error))?;
    let ClaimResults {
        faults,
        plan,
        commits,
    } = held;
    let merged = if let AgentClaim::Merge { theirs, .. } = &input.claim {
        repository
            .commits_between(&old, &commit(theirs)?, MOST_COMMITS)
            .map_err(|error| to_failure(&error))?
    } else {
        Vec::new()
    };
    // Commits that a merge brings in are the work of others.
    let own = commits
        .iter()
        .filter(|it| merged.iter().all(|theirs| theirs.id != it.id));
    Ok(ImportStepResult {
        tree: repository
            .tree_without(&new, &[DOCUMENT_FOLDER])
            .map_err(|error| to_failure(&error))?,
        commits: own.map(|it| (it.id.to_string(), it.subject.clone())).collect(),
        n_files: outcome.n_files,
        insertions: outcome.insertions,
        deletions: outcome.deletions,
        faults,
        plan,
        worktree: outcome.worktree,
        reports: outcome.reports,
        notes: outcome.notes,
        old: outcome.old,
        new: outcome.new,
    })
}
