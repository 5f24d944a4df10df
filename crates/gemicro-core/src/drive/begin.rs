//! Creates a run, or picks one up.

use gemicro_event::{AgentUpdate, Event, StreamId, Timestamp};

use super::driver::Driver;
use super::live_flow::{DynFlow, LiveFlow};
use super::{DriveContext, DriveError};
use crate::flow::Flow;
use crate::run::RunState;
use crate::run::events::{RunResumed, RunStarted, RunSuspended, StepLost};
use crate::store::{Lease, NewEvent, NewStream, StepMark, StoreError, StreamKind};

/// Number of events read at a time.
const PAGE: usize = 512;

/// A run that is not created yet.
#[derive(Debug, Clone)]
pub struct NewRun {
    /// Id that the new run gets.
    pub run: StreamId,
    /// The run that it belongs to.
    pub parent_run: Option<StreamId>,
    /// The first event of its journal.
    pub started: RunStarted,
}

/// Creates a run without starting it: its first event is durable and its lease taken when this returns. It has no
/// board; [`drive_new`](super::drive_new) creates a run together with its board and its first steps.
///
/// # Errors
/// When the store cannot create the stream.
pub async fn begin(
    ctx: &DriveContext,
    run: &StreamId,
    parent_run: Option<StreamId>,
    started: &RunStarted,
) -> Result<Hold, DriveError> {
    let first = NewEvent::of_run(AgentUpdate::new(started, Timestamp::now()));
    let new = NewStream {
        stream: run.clone(),
        kind: StreamKind::Run,
        parent_run,
        events: vec![first],
        lease: Some((ctx.options.owner.clone(), ctx.options.lease_ttl)),
        board: Vec::new(),
    };
    let (created, lease) = ctx.store.create(new).await?;
    let lease = lease.ok_or_else(|| StoreError::LeaseLost { stream: run.clone() })?;
    let first = created.events.into_iter().next();
    Ok(Hold { lease, first })
}

/// The right to drive a run, for [`drive`](super::drive).
#[derive(Debug)]
pub struct Hold {
    pub(super) lease: Lease,
    /// The only event in the journal of a run that was just created.
    pub(super) first: Option<Event>,
}

impl Hold {
    /// The lease behind it.
    #[must_use]
    pub fn lease(&self) -> &Lease {
        &self.lease
    }
}

/// Picks up a run that no process drives: takes its lease and records what was interrupted.
///
/// # Errors
/// When another process drives it, it has ended, or this program cannot read it; then nothing is written.
pub async fn resume<F: Flow>(ctx: &DriveContext, flow: &F, run: &StreamId) -> Result<Hold, DriveError> {
    take_over(ctx, flow, run).await
}

async fn take_over(ctx: &DriveContext, flow: &dyn DynFlow, run: &StreamId) -> Result<Hold, DriveError> {
    // Look before taking the lease, so that a run we cannot read stays unchanged.
    let seen = load(ctx, flow, run).await?;
    if seen.run.ended {
        return Err(StoreError::Ended { stream: run.clone() }.into());
    }
    let lease = ctx
        .store
        .take_lease(run, &ctx.options.owner, ctx.options.lease_ttl)
        .await?;
    let loaded = load(ctx, flow, run).await?;
    let now = Timestamp::now();
    let mut events = Vec::new();
    if loaded.run.working_since.is_some() {
        let reason = "its process crashed or was killed".to_owned();
        let suspended = RunSuspended {
            reason,
            stopped_at: loaded.run.last_at,
            cut_off: true,
        };
        events.push(NewEvent::of_run(AgentUpdate::new(&suspended, now)));
    }
    for (step, attempt) in loaded.run.running_steps() {
        let lost = StepLost::of(step, attempt);
        let mark = Some(StepMark::Ended(attempt.number));
        events.push(NewEvent::of_step(AgentUpdate::new(&lost, now), step, mark));
    }
    let resumed = RunResumed {
        program: ctx.options.program.clone(),
    };
    events.push(NewEvent::of_run(AgentUpdate::new(&resumed, now)));
    if let Some(parked) = loaded.run.parked.as_ref().filter(|parked| parked.until > now) {
        events.push(NewEvent::of_run(AgentUpdate::new(parked, now)));
    }
    let mut driver = Driver::new(ctx, flow, lease.clone(), loaded);
    driver.append(events).await?;
    Ok(Hold { lease, first: None })
}

/// A run and its flow's state, folded from the journal.
pub(super) struct LoadedRun<'f> {
    pub(super) run: RunState,
    pub(super) live: Box<dyn LiveFlow + 'f>,
    pub(super) last: Event,
}

/// Folds the whole journal of a run.
pub(super) async fn load<'f>(
    ctx: &DriveContext,
    flow: &'f dyn DynFlow,
    run: &StreamId,
) -> Result<LoadedRun<'f>, DriveError> {
    let mut page = ctx.store.read(run, 0, PAGE).await?;
    let Some(first) = page.events.first() else {
        return Err(DriveError::EmptyJournal { run: run.to_string() });
    };
    let mut loaded = empty_run(flow, first)?;
    loop {
        for event in &page.events {
            loaded.fold(event);
        }
        match page.events.last() {
            Some(last) => loaded.last = last.clone(),
            None => {
                // These board lines are already stored: each was written with the event that changed it.
                drop(loaded.live.board());
                return Ok(loaded);
            }
        }
        page = ctx.store.read(run, loaded.run.last_seq, PAGE).await?;
    }
}

/// Loads a run that has only its first event.
pub(super) fn fresh<'f>(flow: &'f dyn DynFlow, first: &Event) -> Result<LoadedRun<'f>, DriveError> {
    let mut loaded = empty_run(flow, first)?;
    loaded.fold(first);
    Ok(loaded)
}

impl LoadedRun<'_> {
    fn fold(&mut self, event: &Event) {
        self.run.fold(event);
        self.live.fold(event);
    }
}

/// The state before the first event of a run is folded.
fn empty_run<'f>(flow: &'f dyn DynFlow, event: &Event) -> Result<LoadedRun<'f>, DriveError> {
    let run = &event.stream;
    let not_this_flow = |message: String| DriveError::NotThisFlow {
        run: run.to_string(),
        flow: flow.name(),
        message,
    };
    let state = RunState::start(event)
        .ok_or_else(|| not_this_flow("its journal does not begin with run_started".to_owned()))?;
    if state.started.flow != flow.name() {
        return Err(not_this_flow(format!(
            "it is a run of flow {}",
            state.started.flow
        )));
    }
    if state.started.flow_version > flow.version() {
        return Err(DriveError::NewerFlow {
            run: run.to_string(),
            program: state.started.program.clone(),
            flow: state.started.flow.clone(),
            found: state.started.flow_version,
            known: flow.version(),
        });
    }
    let live = flow
        .start(&state.started.plan)
        .map_err(|failure| DriveError::Plan {
            run: run.to_string(),
            message: failure.message,
        })?;
    Ok(LoadedRun {
        run: state,
        live,
        last: event.clone(),
    })
}
