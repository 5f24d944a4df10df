//! What steps may cost: waiting for money, refusals, warnings and failed attempts.

use gemicro_core::budget::{Limits, Purpose};
use gemicro_core::flow::{AttemptCost, Step, StepFailure};
use gemicro_core::run::events::{RunReaders, RunStarted};
use gemicro_event::{Charge, ErrorKind, Failure};

use crate::drive_steps::check_failed;
use crate::support::{
    ProbeStore, TestFlow, context, count, executors, journal, output_for, prompt, run, run_started, started,
    terminal, tokens_charge, types, work,
};

fn limited(flow: &TestFlow, tokens: u64) -> RunStarted {
    let limits = Limits {
        tokens: Some(tokens),
        ..Limits::default()
    };
    RunStarted {
        limits,
        ..started(flow)
    }
}

#[tokio::test]
async fn a_step_waits_for_money_that_may_come_back_and_is_refused_when_it_cannot() {
    let store = ProbeStore::new();
    let ctx = context(&store, executors(|_| Box::pin(async { Ok(output_for(10)) })));
    // Each reserves 60 of 100 and uses 10: one after the other they fit, side by side they do not.
    let flow = TestFlow::all_of(vec![work("a", 60), work("b", 60), work("c", 60), work("d", 95)]);
    let (id, ended) = run_started(&ctx, &flow, &limited(&flow, 100)).await;
    ended.expect("it ends");
    let events = journal(&store, &id).await;
    assert_eq!(count(&events, "step_completed"), 3);
    let refused = events
        .iter()
        .find_map(|event| event.update.as_step_failed())
        .expect("d is refused");
    assert_eq!((refused.step.as_str(), refused.attempt), ("d", 0));
    assert_eq!(refused.error.kind, ErrorKind::BudgetExceeded);
    assert_eq!(count(&events, "work_failed"), 1);
}

#[tokio::test]
async fn the_budget_warning_comes_once_even_at_the_very_end() {
    for (costs, n_warnings) in [
        (vec![79], 0),
        (vec![80], 1),
        (vec![50, 20], 0),
        (vec![50, 35, 10, 5], 1),
    ] {
        let store = ProbeStore::new();
        let ctx = context(
            &store,
            executors(|call| Box::pin(async move { Ok(output_for(call.step.cost.tokens)) })),
        );
        let steps = costs
            .iter()
            .enumerate()
            .map(|(idx, cost)| work(&format!("step {idx}"), *cost))
            .collect();
        let flow = TestFlow::all_of(steps);
        let (id, _) = run_started(&ctx, &flow, &limited(&flow, 100)).await;
        let events = journal(&store, &id).await;
        assert_eq!(
            count(&events, "budget_warning"),
            n_warnings,
            "{costs:?}: {:?}",
            types(&events)
        );
        terminal(&events);
    }
}

#[tokio::test]
async fn what_is_held_back_is_for_the_last_step_alone() {
    let store = ProbeStore::new();
    let ctx = context(&store, prompt());
    let last = Step {
        purpose: Purpose::Last,
        ..work("last", 40)
    };
    let flow = TestFlow::all_of(vec![work("ordinary", 70), last]);
    let begun = RunStarted {
        held_back: tokens_charge(40),
        ..limited(&flow, 100)
    };
    let (id, _) = run_started(&ctx, &flow, &begun).await;
    let events = journal(&store, &id).await;
    let failed = events
        .iter()
        .find_map(|event| event.update.as_step_failed())
        .expect("one does not fit");
    assert_eq!(failed.step.as_str(), "ordinary");
    assert_eq!(count(&events, "step_completed"), 1);
}

#[tokio::test]
async fn a_failed_attempt_is_charged_what_it_is_known_to_have_cost() {
    let charges = [
        (AttemptCost::Nothing, Charge::ZERO),
        (AttemptCost::Known(tokens_charge(12)), tokens_charge(12)),
        (AttemptCost::Unknown, tokens_charge(50).as_upper_bound()),
    ];
    for (spent, charged) in charges {
        let store = ProbeStore::new();
        let ctx = context(
            &store,
            executors(move |_| {
                let failure = Failure::new(ErrorKind::AuthFailed, "scripted");
                Box::pin(async move { Err(StepFailure::new(failure, spent)) })
            }),
        );
        let flow = TestFlow::all_of(vec![work("a", 50)]);
        let (id, _) = run(&ctx, &flow).await;
        check_failed(&journal(&store, &id).await, ErrorKind::AuthFailed, charged);
    }
}
