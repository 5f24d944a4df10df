//! Defects: a panic anywhere ends the run truthfully, with one terminal event; so does a flow that stalls.

use gemicro_core::drive::DriveEnd;
use gemicro_core::flow::Decision;
use gemicro_core::run::events::RunReaders;
use gemicro_event::{Charge, ErrorKind, Event};

use crate::support::{
    ProbeStore, TestFlow, context, executors, journal, output_for, prompt, run, step, terminal,
    tokens_charge, work,
};

/// Runs a flow and checks that it failed as `internal` at this cost.
async fn check_broken(
    flow: &TestFlow,
    executors: gemicro_core::execute::Executors,
    spent: Charge,
) -> Vec<Event> {
    let store = ProbeStore::new();
    let ctx = context(&store, executors);
    let (id, ended) = run(&ctx, flow).await;
    let events = journal(&store, &id).await;
    let last = terminal(&events);
    assert_eq!(ended, Ok(DriveEnd::Terminal(Box::new(last.clone()))));
    let failed = last.update.as_run_failed().expect("run_failed");
    assert_eq!(
        (failed.error.kind, failed.spent),
        (ErrorKind::Internal, spent),
        "{}",
        failed.error
    );
    events
}

#[tokio::test]
async fn a_panic_in_an_executor_is_the_failure_of_its_step() {
    let store = ProbeStore::new();
    let ctx = context(
        &store,
        executors(|_| Box::pin(async { panic!("scripted panic") })),
    );
    let (id, ended) = run(&ctx, &TestFlow::all_of(vec![work("a", 30)])).await;
    ended.expect("the run ends well: what a failed step means is the flow's business");
    let events = journal(&store, &id).await;
    let failed = events
        .iter()
        .find_map(|event| event.update.as_step_failed())
        .expect("it failed");
    assert_eq!(
        (failed.error.kind, failed.charge),
        (ErrorKind::Internal, tokens_charge(30).as_upper_bound())
    );
    assert_eq!(terminal(&events).update.event_type, "final_result");
}

#[tokio::test]
async fn a_panic_in_deciding_ends_the_run() {
    let flow = TestFlow::new(|state, _| {
        assert!(state.outputs.is_empty(), "scripted panic while deciding");
        Decision {
            want: vec![work("a", 30)],
            ..Decision::default()
        }
    });
    let working = executors(|_| Box::pin(async { Ok(output_for(12)) }));
    check_broken(&flow, working, tokens_charge(12)).await;
}

#[tokio::test]
async fn a_panic_in_describing_ends_the_run_at_its_worst_case() {
    let flow = TestFlow {
        panics_at: Some("a"),
        ..TestFlow::all_of(vec![work("a", 30)])
    };
    check_broken(&flow, prompt(), tokens_charge(30).as_upper_bound()).await;
}

#[tokio::test]
async fn a_panic_in_folding_ends_the_run() {
    let flow = TestFlow {
        panics_folding: Some("work_done"),
        ..TestFlow::all_of(vec![work("a", 30)])
    };
    let working = executors(|_| Box::pin(async { Ok(output_for(12)) }));
    let events = check_broken(&flow, working, tokens_charge(12)).await;
    assert!(
        events
            .iter()
            .any(|event| event.update.event_type == "step_completed"),
        "what was done stays"
    );
}

#[tokio::test]
async fn a_flow_that_stalls_is_reported() {
    let nothing = TestFlow::new(|_, _| Decision::default());
    check_broken(&nothing, prompt(), Charge::ZERO).await;
    let same_again = TestFlow::new(|_, _| Decision {
        want: vec![step("a")],
        ..Decision::default()
    });
    check_broken(&same_again, prompt(), Charge::ZERO).await;
}
