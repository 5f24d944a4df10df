//! Streams that break while the program lives, and the provider's ways to answer that.

use gemicro_core::drive::StopSignals;
use gemicro_core::run::events::RunReaders;
use gemicro_event::{Charge, Event};
use gemicro_sim::scenario::ScenarioEndpoint;

use crate::kill::resume_soon;
use crate::simulated::{
    Simulated, calm_result, check_result, is_handle, lost_for_good, scenario, step_of, until_completed,
    until_event,
};
use crate::support::{count, final_result, journal};

/// Runs a scenario to its end in this process.
async fn run(world: &Simulated) -> Vec<Event> {
    let engine = world.engine().await;
    let started = engine.start(&world.place.plan(), Default::default()).await;
    let started = started.expect("starts");
    let id = started.id.clone();
    started.wait().await.expect("ends");
    journal(&engine, &id).await
}

/// The report's answer breaks off after three pieces; `more` are rules for what is asked then.
fn cut(more: &str) -> String {
    let cut = "  - { name: synthesize, when: { prompt_contains: 'Findings:' }, times: 1, \
               reply: { persona: researcher, chunks: { sizes: [12] }, delay: { between_ms: 2 } }, \
               fault: { cut: { after_chunks: 3 } } }\n";
    scenario(&format!("{more}{cut}"), None)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_that_is_cut_continues_after_its_last_event() {
    let calm = calm_result().await;
    let world = Simulated::new(&cut("")).await;
    let events = run(&world).await;
    // Equal to the letter: nothing is missing and nothing is there twice.
    check_result(&events, &calm, "cut");
    assert_eq!(
        (count(&events, "step_retrying"), count(&events, "step_lost")),
        (0, 0)
    );
    assert!(world.posts().values().all(|n| *n == 1), "{:?}", world.posts());
    let looks = world.requests(ScenarioEndpoint::GetInteraction, 0);
    assert_eq!(looks.len(), 1);
    assert!(looks[0].path.contains("last_event_id="), "{}", looks[0].path);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_that_cannot_be_resumed_is_looked_at_as_a_whole() {
    let calm = calm_result().await;
    let refuse =
        "  - { when: { endpoint: get_interaction, stream: true }, fault: { http: { status: 400 } } }\n";
    let world = Simulated::new(&cut(refuse)).await;
    let events = run(&world).await;
    check_result(&events, &calm, "cut, refused");
    assert_eq!(
        (count(&events, "step_retrying"), count(&events, "step_lost")),
        (0, 0)
    );
    assert!(world.posts().values().all(|n| *n == 1), "{:?}", world.posts());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_that_is_gone_is_counted_at_its_worst_case_and_sent_again() {
    let calm = calm_result().await;
    let gone = "  - { when: { endpoint: get_interaction }, fault: { http: { status: 404 } } }\n";
    let world = Simulated::new(&cut(gone)).await;
    let events = run(&world).await;
    let result = final_result(&events);
    assert_eq!((&result.answer, &result.partial), (&calm.answer, &None));
    let retried = events.iter().find_map(|event| event.update.as_step_retrying());
    let retried = retried.expect("it was tried again");
    assert_eq!(retried.step.as_str(), step_of(6));
    let started = events.iter().filter_map(|event| event.update.as_step_started());
    let mut reserved = started.filter(|it| it.step == retried.step).map(|it| it.reserved);
    assert_eq!(reserved.next().map(Charge::as_upper_bound), Some(retried.charge));
    assert_eq!(
        result.metadata.total_tokens,
        calm.metadata.total_tokens + retried.charge.tokens
    );
    assert_eq!(world.posts()[&step_of(6)], 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_that_is_suspended_inside_a_stream_resumes_it() {
    let calm = calm_result().await;
    let gate = ", gate: { name: held, after_chunks: 3 }";
    let world = Simulated::new(&scenario("", Some((4, gate)))).await;
    let engine = world.engine().await;
    let stop = StopSignals::default();
    let run = engine
        .start(&world.place.plan(), stop.clone())
        .await
        .expect("starts");
    let id = run.id.clone();
    std::fs::write(world.place.path().join("run"), id.as_str()).expect("written");
    world.simulator.gates().wait_until_reached("held", 1).await;
    until_event(&engine, &world.place, "the handle", |event| is_handle(event, 4)).await;
    until_completed(&engine, &world.place, 4).await;
    stop.suspend.cancel();
    run.wait().await.expect("suspended");
    world.simulator.gates().open("held");
    let run = resume_soon(&engine, &id).await.expect("not ended");
    run.wait().await.expect("ends");
    let events = journal(&engine, &id).await;
    check_result(&events, &calm, "suspended");
    assert_eq!(lost_for_good(&events).tokens, 0);
    assert!(world.posts().values().all(|n| *n == 1), "{:?}", world.posts());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_resumed_run_asks_again_when_the_provider_is_down_for_a_moment() {
    let calm = calm_result().await;
    let down = "  - { when: { endpoint: get_interaction }, times: 2, fault: { http: { status: 503 } } }\n";
    let gate = ", gate: { name: held, after_chunks: 3 }";
    let world = Simulated::new(&scenario(down, Some((6, gate)))).await;
    let child = world.job().spawn();
    world.simulator.gates().wait_until_reached("held", 1).await;
    let engine = world.engine().await;
    let handle = |event: &Event| is_handle(event, 6);
    let id = until_event(&engine, &world.place, "the handle", handle).await;
    crate::simulated::kill(child).await;
    world.simulator.gates().open("held");
    let run = resume_soon(&engine, &id).await.expect("not ended");
    run.wait().await.expect("ends");
    check_result(&journal(&engine, &id).await, &calm, "down for a moment");
    assert!(world.posts().values().all(|n| *n == 1), "{:?}", world.posts());
}
