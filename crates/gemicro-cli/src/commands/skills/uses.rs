//! Counts in how many prompts of pipelines each skill was.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use gemicro_core::run::events::RunReaders;
use gemicro_engine::pipeline::flow::PipelineReaders;
use gemicro_event::{StreamId, Timestamp};
use gemicro_memory::{ProjectMemory, project_of};
use gemicro_store::{DurableStore, RunFilter};
use serde::Deserialize;

use crate::command_error::CommandError;

/// What is read of a pipeline's plan.
#[derive(Deserialize)]
struct PlanFolder {
    directory: PathBuf,
}

/// The number of phases whose prompt contained each skill, by its id. Only runs of this project since `from` are read.
pub(super) async fn count(
    store: &DurableStore,
    project: &ProjectMemory,
    ids: &BTreeSet<String>,
    from: Timestamp,
) -> Result<BTreeMap<String, u64>, CommandError> {
    let mut uses = BTreeMap::new();
    let filter = RunFilter {
        flow: Some("pipeline".to_owned()),
        limit: Some(usize::MAX),
        ..RunFilter::default()
    };
    for row in store.runs(&filter).await? {
        if row.updated_at < from {
            continue;
        }
        for id in in_prompts(store, project, &row.run).await? {
            if ids.contains(&id) {
                *uses.entry(id).or_default() += 1;
            }
        }
    }
    Ok(uses)
}

/// The ids of notes and skills in the prompts of a run, if it is of this project.
async fn in_prompts(
    store: &DurableStore,
    project: &ProjectMemory,
    run: &StreamId,
) -> Result<Vec<String>, CommandError> {
    let events = store
        .read_types(run, 0, &["run_started", "phase_started"])
        .await?;
    let started = events.first().and_then(|event| event.update.as_run_started());
    let folder = started.and_then(|started| started.plan.parse::<PlanFolder>().ok());
    let is_ours = folder
        .and_then(|it| project_of(&it.directory).ok())
        .is_some_and(|folder| folder == project.folder());
    let phases = events.iter().filter(|_| is_ours);
    let phases = phases.filter_map(|event| event.update.as_phase_started());
    Ok(phases.flat_map(|phase| phase.memory).collect())
}
