//! Plans a new run that continues an earlier one.

use gemicro_core::budget::Limits;
use gemicro_core::flow::Flow;
use gemicro_core::run::RunRow;
use gemicro_core::run::events::RunReaders;
use gemicro_core::store::{Store, StoreError};
use gemicro_event::{ErrorKind, Event, Failure};
use gemicro_pipeline::flow::{PhaseEnded, PipelineFlow, PipelineReaders};
use gemicro_pipeline::plan::{CarriedWork, PipelinePlan};
use gemicro_pipeline::steps::MergeOutcome;
use gemicro_store::{DurableStore, RunFilter};

use super::plan::seed;

/// The plan and the limits of a run that enters a phase of an earlier run again, from its journal. The default is the
/// phase that can fix the failure of that run.
///
/// # Errors
/// When the run is not a pipeline, has no branch, or has no such phase.
pub fn retry_plan(events: &[Event], phase: Option<&str>) -> Result<(PipelinePlan, Limits), Failure> {
    let wrong = |message: String| Failure::new(ErrorKind::InvalidInput, message);
    let started = events.first().and_then(|event| event.update.as_run_started());
    let started = started.filter(|started| started.flow == PipelineFlow.name());
    let started = started.ok_or_else(|| wrong("this run is not a pipeline".to_owned()))?;
    let mut state = PipelineFlow.start(&started.plan)?;
    for event in events {
        PipelineFlow.fold(&mut state, event);
    }
    let plan = state.plan().clone();
    let Some(prepared) = state.branch() else {
        let message = "the run has no branch to continue on; start it again with `gemicro run`";
        return Err(wrong(message.to_owned()));
    };
    let names = || {
        let names: Vec<&str> = plan.workflow.phases.iter().map(|it| it.name.as_str()).collect();
        names.join(", ")
    };
    let last = state.current().map(|(phase, _)| phase.name.clone());
    // A failure in a phase is fixed in the phase that it would have led to.
    let fixing_phase = |it: &PhaseEnded| it.next.as_ref().unwrap_or(&it.phase).clone();
    let last = last.or_else(|| state.ended_phases().last().map(fixing_phase));
    let merge = state.last_merge();
    // A run that ended before its first phase found the branch changed: everything must be reviewed again.
    let reviewing = || {
        let mut phases = plan.workflow.phases.iter();
        let is_seen = |name: &String| plan.workflow.reviews(name) && state.rounds().contains_key(name);
        phases.find(|it| is_seen(&it.name)).map(|it| it.name.clone())
    };
    let last = last.or_else(reviewing);
    let phase = phase.map(str::to_owned).or(last);
    let phase = phase.ok_or_else(|| wrong(format!("name the phase with --from: {}", names())))?;
    // Also accept a phase's label.
    let known = plan
        .workflow
        .phases
        .iter()
        .find(|it| it.name == phase || it.label == phase);
    let known = known.ok_or_else(|| wrong(format!("there is no phase {phase}: {}", names())))?;
    if !state.rounds().contains_key(&known.name) {
        return Err(wrong(format!(
            "the run never reached phase {}. Choose one that it reached: {}",
            known.name,
            state.rounds().keys().cloned().collect::<Vec<_>>().join(", ")
        )));
    }
    let has_conflicts = merge.is_some_and(|it| it.merged().outcome == MergeOutcome::Conflict);
    if plan.workflow.resolves(&known.name) && !has_conflicts {
        return Err(wrong(format!(
            "the last merge of main had no conflicts, so phase {} has nothing to resolve: choose another phase",
            known.name
        )));
    }
    let reviewed = match plan.workflow.delivers_unreviewed(&known.name) {
        false => None,
        true => Some(state.reviewed_tree().map(str::to_owned).ok_or_else(|| {
            let message = format!(
                "no reviewer has approved the branch, so phase {} cannot start: choose an earlier phase",
                known.name
            );
            wrong(message)
        })?),
    };
    let led = state
        .ended_phases()
        .iter()
        .rev()
        .find(|it| it.next.as_deref() == Some(known.name.as_str()));
    let earlier = CarriedWork {
        run: events[0].stream.clone(),
        phase: known.name.clone(),
        base: prepared.base.clone(),
        on_base: prepared.evidence.clone(),
        tree: reviewed,
        merge: merge.cloned(),
        documents: state.documents().clone(),
        written: state.written_documents(),
        rounds: state.rounds().clone(),
        from: led.map(|it| it.phase.clone()),
        feedback: led
            .filter(|it| it.sends_back())
            .and_then(|it| it.feedback.clone().or_else(|| it.reasons.first().cloned())),
        decided: state.decisions().to_vec(),
    };
    let plan = PipelinePlan {
        branch: prepared.branch.clone(),
        exact_branch: true,
        seed: seed(),
        earlier: Some(earlier),
        ..plan.clone()
    };
    Ok((plan, started.limits))
}

/// The newest run that worked on the same branch after this one: the branch is in the state that it left. `None` if no
/// run did.
///
/// # Errors
/// When the store fails.
pub async fn later_run(store: &DurableStore, events: &[Event]) -> Result<Option<RunRow>, StoreError> {
    let Some(mine) = branch_of(events) else {
        return Ok(None);
    };
    let mut filter = RunFilter {
        flow: Some(PipelineFlow.name().to_owned()),
        ..RunFilter::default()
    };
    loop {
        let rows = store.runs(&filter).await?;
        filter.before = rows.last().map(|row| row.run.clone());
        if rows.is_empty() {
            return Ok(None);
        }
        for row in rows {
            if row.run == events[0].stream {
                return Ok(None);
            }
            // Most runs are in other folders, as their first event shows.
            let first = store.read(&row.run, 0, 1).await?.events;
            if directory_of(&first).is_none_or(|directory| directory != mine.0) {
                continue;
            }
            let all = store.read(&row.run, 0, usize::MAX).await?.events;
            if branch_of(&all).as_ref() == Some(&mine) {
                return Ok(Some(row));
            }
        }
    }
}

/// The folder of a run, and its branch.
fn branch_of(events: &[Event]) -> Option<(String, String)> {
    let mut prepared = events
        .iter()
        .filter_map(|event| event.update.as_pipeline_prepared());
    Some((directory_of(events)?, prepared.next()?.prepared.branch))
}

fn directory_of(events: &[Event]) -> Option<String> {
    let started = events.first()?.update.as_run_started()?;
    Some(started.plan.get("directory")?.as_str()?.to_owned())
}
