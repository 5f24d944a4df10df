//! `kill -9` of a run that waits for a limit of the provider to end.

use std::time::Duration;

use gemicro_core::run::events::RunReaders;
use gemicro_event::{Event, RunStatus};
use gemicro_sim::scenario::ScenarioEndpoint;

use crate::kill::resume_soon;
use crate::simulated::{Simulated, calm_result, check_result, kill, scenario, until_event};
use crate::support::{count, journal};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_parked_run_that_was_killed_waits_on_and_ends_by_itself() {
    let calm = calm_result().await;
    // The report meets it, when nothing else is under way.
    let limit = "  - { name: limit, when: { prompt_contains: 'Findings:' }, times: 1, \
                 fault: { rate_limit: { seconds: 6, announce: body } } }\n";
    let world = Simulated::new(&scenario(limit, None)).await;
    let child = world.job().spawn();
    let engine = world.engine().await;
    let parked = |event: &Event| event.update.event_type == "run_parked";
    let id = until_event(&engine, &world.place, "the limit", parked).await;
    kill(child).await;
    let (before, since) = (journal(&engine, &id).await, world.n_logged());
    let until = before.iter().find_map(|event| event.update.as_run_parked());
    let until = until.expect("waited for").until;

    let run = resume_soon(&engine, &id).await.expect("not ended");
    assert_eq!(
        engine.store().run(&id).await.expect("listed").status,
        RunStatus::Parked
    );
    let ended = tokio::time::timeout(Duration::from_secs(60), run.wait()).await;
    ended.expect("by itself").expect("ends");
    let events = journal(&engine, &id).await;
    check_result(&events, &calm, "parked and killed");
    assert_eq!(count(&events, "run_woken"), 1);
    let sent = world.requests(ScenarioEndpoint::Interactions, since);
    assert!(
        sent.iter().all(|entry| entry.at >= until),
        "something was sent before {until}"
    );
    // The call that met the limit was refused, not begun: the second one is its first.
    assert_eq!(world.posts()["limit"], 1);
    let mut calls = world.posts();
    calls.remove("limit");
    assert!(calls.values().all(|n| *n == 1), "{calls:?}");
}
