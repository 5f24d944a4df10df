//! Stand-ins for everything a driver meets, and short ways to run it.

mod flow;
mod library;
mod research;
mod store;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::future::BoxFuture;
use gemicro_core::drive::{DriveContext, DriveEnd, DriveError, DriveOptions, StopSignals, begin, drive};
use gemicro_core::execute::{Executor, Executors, StepCall};
use gemicro_core::flow::{Flow, StepFailure, StepOutput};
use gemicro_core::live::LiveHub;
use gemicro_core::run::events::RunStarted;
use gemicro_core::store::{Store, StoreError};
use gemicro_event::{Charge, ErrorKind, Event, Failure, Json, StreamId, is_terminal};

pub(crate) use flow::{TestFlow, step, work};
pub(crate) use library::MemoryLibrary;
pub(crate) use research::{ResearchSetup, documents, final_result};
pub(crate) use store::{Death, ProbeStore};

/// An executor made of a function.
pub(crate) struct Function<F>(pub(crate) F);

impl<F> Executor for Function<F>
where
    F: Fn(StepCall) -> BoxFuture<'static, Result<StepOutput, StepFailure>> + Send + Sync,
{
    fn execute(&self, call: StepCall) -> BoxFuture<'static, Result<StepOutput, StepFailure>> {
        (self.0)(call)
    }
}

/// Executors with one function for steps of kind `work`.
pub(crate) fn executors<F>(function: F) -> Executors
where
    F: Fn(StepCall) -> BoxFuture<'static, Result<StepOutput, StepFailure>> + Send + Sync + 'static,
{
    Executors::default().with("work", Arc::new(Function(function)))
}

/// An executor that answers at once with the step's key.
pub(crate) fn prompt() -> Executors {
    executors(|call| Box::pin(async move { Ok(output(call.step.key.as_str())) }))
}

pub(crate) fn output(text: &str) -> StepOutput {
    StepOutput {
        output: Json::from(serde_json::json!(text)),
        charge: Charge::ZERO,
        usage: None,
    }
}

/// A result that cost this many tokens.
pub(crate) fn output_for(tokens: u64) -> StepOutput {
    StepOutput {
        charge: tokens_charge(tokens),
        ..output("done")
    }
}

/// An amount of tokens.
pub(crate) fn tokens_charge(tokens: u64) -> Charge {
    Charge {
        tokens,
        ..Charge::ZERO
    }
}

/// A failure that cost nothing.
pub(crate) fn free_failure(kind: ErrorKind) -> StepFailure {
    StepFailure::free(Failure::new(kind, "scripted"))
}

/// A driver's context with an owner of its own and short intervals.
pub(crate) fn context(store: &Arc<ProbeStore>, executors: Executors) -> DriveContext {
    static OWNERS: AtomicUsize = AtomicUsize::new(1);
    let store: Arc<dyn Store> = store.clone();
    DriveContext {
        store,
        executors,
        live: LiveHub::new(),
        stop: StopSignals::default(),
        options: DriveOptions {
            owner: format!("driver {}", OWNERS.fetch_add(1, Ordering::SeqCst)),
            program: "gemicro test".to_owned(),
            command_poll: Duration::from_millis(5),
            grace: Duration::from_millis(200),
            ..DriveOptions::default()
        },
    }
}

/// The first event of a run of a test flow without limits.
pub(crate) fn started(flow: &impl Flow) -> RunStarted {
    RunStarted {
        flow: flow.name().to_owned(),
        flow_version: flow.version(),
        program: "gemicro test".to_owned(),
        title: "test".to_owned(),
        plan: Json::empty(),
        limits: Default::default(),
        held_back: Charge::ZERO,
        held_back_ms: 0,
        resident: false,
        credential_fingerprint: None,
        resubmits: false,
        part_of_parent: false,
        day: None,
    }
}

/// Begins a run and drives it to its end.
pub(crate) async fn run(ctx: &DriveContext, flow: &TestFlow) -> (StreamId, Result<DriveEnd, DriveError>) {
    run_started(ctx, flow, &started(flow)).await
}

/// Begins a run with this first event and drives it to its end.
pub(crate) async fn run_started(
    ctx: &DriveContext,
    flow: &TestFlow,
    started: &RunStarted,
) -> (StreamId, Result<DriveEnd, DriveError>) {
    let id = StreamId::random();
    let lease = begin(ctx, &id, None, started).await.expect("a fresh run begins");
    let ended = drive(ctx, flow, lease).await;
    (id, ended)
}

/// The whole journal of a run.
pub(crate) async fn journal(store: &ProbeStore, run: &StreamId) -> Vec<Event> {
    store
        .inner
        .read(run, 0, usize::MAX)
        .await
        .expect("the run is there")
        .events
}

/// The kinds of all events, in order.
pub(crate) fn types(events: &[Event]) -> Vec<&str> {
    events
        .iter()
        .map(|event| event.update.event_type.as_str())
        .collect()
}

/// How many events have this kind.
pub(crate) fn count(events: &[Event], event_type: &str) -> usize {
    events
        .iter()
        .filter(|event| event.update.event_type == event_type)
        .count()
}

/// The one terminal event; fails unless there is exactly one and it stands last.
pub(crate) fn terminal(events: &[Event]) -> &Event {
    let n_terminal = events
        .iter()
        .filter(|event| is_terminal(&event.update.event_type))
        .count();
    assert_eq!(n_terminal, 1, "terminal events in {:?}", types(events));
    let last = events.last().expect("a journal is never empty");
    assert!(
        is_terminal(&last.update.event_type),
        "the terminal event stands last: {:?}",
        types(events)
    );
    last
}

/// Ends the lease of a driver that died, as time would.
pub(crate) async fn expire_lease(store: &ProbeStore, run: &StreamId) {
    let taken = match store.inner.take_lease(run, "time", Duration::ZERO).await {
        Err(StoreError::LeaseHeld { owner, .. }) => store.inner.take_lease(run, &owner, Duration::ZERO).await,
        other => other,
    };
    store
        .inner
        .release_lease(&taken.expect("the same owner may take it again"))
        .await
        .expect("released");
}

/// Waits until a condition on the journal holds.
pub(crate) async fn until(
    store: &ProbeStore,
    run: &StreamId,
    holds: impl Fn(&[Event]) -> bool,
) -> Vec<Event> {
    for _ in 0..5_000 {
        if let Ok(page) = store.inner.read(run, 0, usize::MAX).await
            && holds(&page.events)
        {
            return page.events;
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    panic!("the journal did not come to that");
}
