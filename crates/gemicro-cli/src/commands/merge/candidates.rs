//! Finds the branches that the names on a command line stand for.

use gemicro_core::research::events::ResearchReaders;
use gemicro_core::run::RunRow;
use gemicro_core::store::Store;
use gemicro_engine::answer_of_board;
use gemicro_engine::merge_queue::{QueuedBranch, UnreadyBranch};
use gemicro_event::{ErrorKind, RunStatus, StreamId};
use gemicro_guard::repository::{CommitId, RepositoryError, TrustedRepo};
use gemicro_store::{DurableStore, RunFilter};

use crate::command_error::CommandError;
use crate::session::find_run;

/// The branches to merge, and what cannot be merged.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    pub(super) branches: Vec<QueuedBranch>,
    pub(super) not_ready: Vec<UnreadyBranch>,
}

/// Resolves names: branches of the repository, pipelines and batches of the store.
///
/// # Errors
/// When a name is neither, or the store or git fails.
pub(super) async fn resolve_names(
    store: &DurableStore,
    repository: &TrustedRepo,
    names: &[String],
) -> Result<Candidates, CommandError> {
    let mut found = Candidates::default();
    for name in names {
        let tip = repository.local_branch(name).map_err(|error| git_error(&error))?;
        if let Some(tip) = tip {
            found.add(QueuedBranch {
                branch: name.clone(),
                commit: tip.to_string(),
                run: None,
            });
            continue;
        }
        if name.contains('/') {
            return Err(unknown_name(name));
        }
        let id = find_run(store, name).await.map_err(|error| match error {
            CommandError::Report(report) if report.failure.kind == ErrorKind::NotFound => unknown_name(name),
            other => other,
        })?;
        let row = store.run(&id).await?;
        match row.flow.as_str() {
            "pipeline" => found.add_run(store, repository, &row).await?,
            "batch" => found.add_batch(store, repository, &row).await?,
            flow => {
                return Err(CommandError::usage(
                    format!("run {id} is neither a pipeline nor a batch; its flow is {flow}"),
                    "to merge the branch of another run, name it: gemicro merge BRANCH",
                ));
            }
        }
    }
    Ok(found)
}

/// Every finished pipeline whose branch is in the repository, at the delivered commit, and not in the target yet;
/// oldest first.
///
/// # Errors
/// When the store or git fails.
pub(super) async fn find_finished(
    store: &DurableStore,
    repository: &TrustedRepo,
    into: &CommitId,
) -> Result<Candidates, CommandError> {
    let filter = RunFilter {
        status: Some(RunStatus::Completed),
        flow: Some("pipeline".to_owned()),
        limit: Some(usize::MAX),
        ..RunFilter::default()
    };
    let mut found = Candidates::default();
    for row in store.runs(&filter).await?.iter().rev() {
        let Some(delivered) = delivery_of(store, row).await? else {
            continue;
        };
        let tip = repository.local_branch(&delivered.branch);
        let Some(tip) = tip.map_err(|error| git_error(&error))? else {
            continue;
        };
        let is_merged = || {
            repository
                .is_ancestor(&tip, into)
                .map_err(|error| git_error(&error))
        };
        if tip.as_str() == delivered.commit && !is_merged()? {
            found.add(delivered);
        }
    }
    Ok(found)
}

impl Candidates {
    fn add(&mut self, branch: QueuedBranch) {
        if !self.branches.iter().any(|it| it.branch == branch.branch) {
            self.branches.push(branch);
        }
    }

    fn refuse(&mut self, name: &str, why: String) {
        self.not_ready.push(UnreadyBranch {
            name: name.to_owned(),
            why,
        });
    }

    async fn add_run(
        &mut self,
        store: &DurableStore,
        repository: &TrustedRepo,
        row: &RunRow,
    ) -> Result<(), CommandError> {
        let Some(delivered) = delivery_of(store, row).await? else {
            let why = format!(
                "it has not delivered a branch; its state is {}",
                row.status.as_str()
            );
            self.refuse(row.run.as_str(), why);
            return Ok(());
        };
        let tip = repository.local_branch(&delivered.branch);
        match tip.map_err(|error| git_error(&error))? {
            Some(tip) if tip.as_str() != delivered.commit => {
                let why = format!(
                    "it moved since run {} delivered it; to merge it as it is, name the branch",
                    row.run
                );
                self.refuse(&delivered.branch, why);
            }
            // A deleted branch can still be merged: its commit is named, and must exist.
            None if repository.resolve(&delivered.commit).is_err() => {
                let why = format!(
                    "the branch and the commit of run {} are not in this repository",
                    row.run
                );
                self.refuse(&delivered.branch, why);
            }
            Some(_) | None => self.add(delivered),
        }
        Ok(())
    }

    /// The pipelines of a batch, in task order.
    async fn add_batch(
        &mut self,
        store: &DurableStore,
        repository: &TrustedRepo,
        batch: &RunRow,
    ) -> Result<(), CommandError> {
        let Some(answer) = answer_of_board(batch, store.board(&batch.run).await?) else {
            self.refuse(batch.run.as_str(), "its tasks cannot be read".to_owned());
            return Ok(());
        };
        let mut known: Vec<StreamId> = Vec::new();
        for item in &answer.results {
            let run = item.output.pointer("/run_id").and_then(|it| it.as_str());
            let Some(run) = run.and_then(|run| StreamId::new(run).ok()) else {
                continue;
            };
            let row = store.run(&run).await?;
            if row.flow == "pipeline" {
                self.add_run(store, repository, &row).await?;
                known.push(run);
            }
        }
        // Tasks without an output have a run only if they have begun.
        let filter = RunFilter {
            flow: Some("pipeline".to_owned()),
            limit: Some(usize::MAX),
            ..RunFilter::default()
        };
        let rows = store.runs(&filter).await?;
        let of_batch = rows
            .iter()
            .rev()
            .filter(|row| row.parent_run.as_ref() == Some(&batch.run));
        for row in of_batch.filter(|row| !known.contains(&row.run)) {
            self.add_run(store, repository, row).await?;
        }
        if answer.counts.open() > 0 {
            let why = format!("{} of its tasks have not ended", answer.counts.open());
            self.refuse(batch.run.as_str(), why);
        }
        Ok(())
    }
}

/// The branch that a pipeline delivered, if it did.
async fn delivery_of(store: &DurableStore, row: &RunRow) -> Result<Option<QueuedBranch>, CommandError> {
    if row.status != RunStatus::Completed {
        return Ok(None);
    }
    let last = store.read(&row.run, row.n_events.saturating_sub(1), 1).await?;
    let data = last
        .events
        .last()
        .filter(|it| it.update.as_final_result().is_some());
    let text = |key: &str| Some(data?.update.data.get(key)?.as_str()?.to_owned());
    let delivered = text("branch").zip(text("commit"));
    Ok(delivered.map(|(branch, commit)| QueuedBranch {
        branch,
        commit,
        run: Some(row.run.clone()),
    }))
}

fn unknown_name(name: &str) -> CommandError {
    CommandError::new_failure(
        ErrorKind::NotFound,
        format!("`{name}` is neither a branch of this repository nor a run"),
        "`git branch` lists the branches, `gemicro runs` the runs",
    )
}

pub(super) fn git_error(error: &RepositoryError) -> CommandError {
    CommandError::from(gemicro_event::Failure::new(
        ErrorKind::from(error),
        error.to_string(),
    ))
}
