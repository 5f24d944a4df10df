//! A research agent of the provider: it works on its own, we only ask from time to time.

use std::time::Duration;

use gemicro_core::drive::StopSignals;
use gemicro_core::run::events::RunReaders;
use gemicro_engine::CancelOutcome;
use gemicro_event::Event;
use gemicro_sim::scenario::ScenarioEndpoint;
use rustix::process::{Pid, Signal, kill_process};

use crate::child::Job;
use crate::kill::{resume_soon, until_free};
use crate::simulated::{Simulated, agent_plan, is_handle, kill, lost_for_good, until, until_event};
use crate::support::{Place, final_result, journal, terminal};

const HELD: &str = "scenario: agent\nrules:\n  - name: agent\n    reply: { text: 'The report: the bridge.', \
                    gate: { name: held, after_chunks: 0 } }\n";

fn agent(world: &Simulated) -> Job {
    Job {
        agent: true,
        ..world.job()
    }
}

/// Whoever is asked for the one call of the run.
fn is_called(event: &Event) -> bool {
    is_handle(event, 1)
}

/// Waits until somebody asked so many times how far it is.
async fn until_asked(world: &Simulated, since: usize, n_looks: usize) {
    until("a look at the agent", async || {
        (world.requests(ScenarioEndpoint::GetInteraction, since).len() >= n_looks).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_agent_at_work_outlives_two_deaths_and_is_started_once() {
    let world = Simulated::new(HELD).await;
    let first = agent(&world).spawn();
    let engine = world.engine().await;
    let id = until_event(&engine, &world.place, "the handle", is_called).await;
    until_asked(&world, 0, 2).await;
    kill(first).await;
    let since = world.n_logged();
    until_free(&engine, &id).await;
    let second = agent(&world).resuming("second", &id).spawn();
    until_asked(&world, since, 3).await;
    kill(second).await;
    world.simulator.gates().open("held");
    let run = resume_soon(&engine, &id).await.expect("not ended");
    run.wait().await.expect("ends");
    let events = journal(&engine, &id).await;
    assert!(final_result(&events).answer.contains("the bridge"));
    assert_eq!(lost_for_good(&events).turns, 0);
    assert_eq!(world.requests(ScenarioEndpoint::Interactions, 0).len(), 1);
    assert_eq!(world.requests(ScenarioEndpoint::CancelInteraction, 0).len(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn suspending_leaves_the_agent_at_work() {
    let world = Simulated::new(HELD).await;
    let engine = world.engine().await;
    let stop = StopSignals::default();
    let run = engine.start(&agent_plan(), stop.clone()).await.expect("starts");
    let id = run.id.clone();
    note(&world.place, id.as_str());
    until_event(&engine, &world.place, "the handle", is_called).await;
    stop.suspend.cancel();
    run.wait().await.expect("suspended");
    assert_eq!(world.requests(ScenarioEndpoint::CancelInteraction, 0).len(), 0);
    world.simulator.gates().open("held");
    let run = resume_soon(&engine, &id).await.expect("not ended");
    run.wait().await.expect("ends");
    let events = journal(&engine, &id).await;
    assert!(final_result(&events).answer.contains("the bridge"));
    assert_eq!(world.requests(ScenarioEndpoint::Interactions, 0).len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_that_slept_leaves_the_agent_to_its_successor() {
    let world = Simulated::new(HELD).await;
    let mut sleeper = agent(&world).spawn();
    let engine = world.engine().await;
    let id = until_event(&engine, &world.place, "the handle", is_called).await;
    let pid = Pid::from_child(&sleeper);
    kill_process(pid, Signal::STOP).expect("stopped");
    let run = resume_soon(&engine, &id)
        .await
        .expect("its lease ends while it sleeps");
    until_asked(&world, world.n_logged(), 2).await;
    kill_process(pid, Signal::CONT).expect("woken");
    sleeper.wait().expect("it stops by itself");
    assert_eq!(agent(&world).outcome().as_deref(), Some("conflict"));
    world.simulator.gates().open("held");
    run.wait().await.expect("ends");
    final_result(&journal(&engine, &id).await);
    assert_eq!(world.requests(ScenarioEndpoint::Interactions, 0).len(), 1);
    assert_eq!(world.requests(ScenarioEndpoint::CancelInteraction, 0).len(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cancelling_from_another_process_reaches_the_provider() {
    let world = Simulated::new(HELD).await;
    let mut child = agent(&world).spawn();
    let engine = world.engine().await;
    let id = until_event(&engine, &world.place, "the handle", is_called).await;
    let outcome = engine.cancel(&id, "enough").await.expect("cancelled");
    assert_eq!(outcome, CancelOutcome::Cancelled);
    child.wait().expect("ends");
    let events = journal(&engine, &id).await;
    assert_eq!(terminal(&events).update.event_type, "run_cancelled");
    let cancellations = world.requests(ScenarioEndpoint::CancelInteraction, 0);
    assert_eq!(cancellations.len(), 1);
    let asked = events
        .iter()
        .find(|event| event.update.as_cancel_requested().is_some());
    let asked_at = asked.expect("noted").update.timestamp;
    assert!(
        cancellations[0].at.since(asked_at) < Duration::from_secs(2),
        "told late"
    );
}

fn note(place: &Place, id: &str) {
    std::fs::write(place.path().join("run"), id).expect("written");
}
