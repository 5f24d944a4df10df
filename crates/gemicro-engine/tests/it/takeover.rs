//! Two processes, one run: a stopped process that wakes up writes nothing, and of two resumes one wins.

use gemicro_core::store::Store;
use gemicro_engine::Engine;
use gemicro_event::StreamId;
use rustix::process::{Pid, Signal, kill_process};

use crate::child::{Job, started_run};
use crate::kill::{resume_soon, until_free};
use crate::simulated::until;
use crate::support::{Place, calm_result, count, final_result, journal};

async fn until_started(place: &Place, n_steps: usize) -> StreamId {
    let engine = place.engine().await;
    until("so many steps of the child", async || {
        let id = started_run(place.path())?;
        let page = Store::read(engine.store().as_ref(), &id, 0, 10_000).await.ok()?;
        (count(&page.events, "step_started") >= n_steps).then_some(id)
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_that_slept_past_its_lease_wakes_to_a_conflict() {
    let calm = calm_result().await;
    let place = Place::new();
    // Slow enough to be caught in the middle of an answer.
    let job = Job {
        delay_ms: 1_500,
        lease_ms: 300,
        ..Job::start(place.path())
    };
    let mut child = job.spawn();
    let id = until_started(&place, 2).await;
    let pid = Pid::from_child(&child);
    kill_process(pid, Signal::STOP).expect("stopped");

    let engine = place.engine().await;
    let run = resume_soon(&engine, &id)
        .await
        .expect("its lease ends while it sleeps");
    run.wait().await.expect("the second process ends the run");
    let events = journal(&engine, &id).await;
    assert_eq!(final_result(&events).answer, calm.answer);

    kill_process(pid, Signal::CONT).expect("woken");
    child.wait().expect("it stops by itself");
    assert_eq!(job.outcome().as_deref(), Some("conflict"));
    assert_eq!(
        journal(&engine, &id).await,
        events,
        "the woken process wrote nothing"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_that_wakes_while_another_works_is_refused_too() {
    let place = Place::new();
    let first = Job {
        delay_ms: 1_000,
        lease_ms: 300,
        ..Job::start(place.path())
    };
    let mut sleeper = first.spawn();
    let id = until_started(&place, 2).await;
    let pid = Pid::from_child(&sleeper);
    kill_process(pid, Signal::STOP).expect("stopped");
    // The second process takes it over, and is slow itself.
    let second = Job {
        name: "second".to_owned(),
        resume: Some(id.to_string()),
        delay_ms: 1_500,
        ..Job::start(place.path())
    };
    let engine = place.engine().await;
    let mut second_child = loop {
        let mut child = second.spawn();
        if has_taken_over(&engine, &id, &second).await {
            break child;
        }
        child.wait().expect("it was too early");
        std::fs::remove_file(place.path().join("outcome-second")).expect("forgotten");
    };
    kill_process(pid, Signal::CONT).expect("woken");
    sleeper.wait().expect("ends");
    second_child.wait().expect("ends");
    assert_eq!(second.outcome().as_deref(), Some("ok"));
    assert_eq!(first.outcome().as_deref(), Some("conflict"));
    let events = journal(&engine, &id).await;
    assert_eq!(count(&events, "run_resumed"), 1);
    final_result(&events);
}

/// Waits until a resuming child either drives the run or was refused.
async fn has_taken_over(engine: &Engine, id: &StreamId, job: &Job) -> bool {
    until("the resumed run, or a refusal", async || {
        if count(&journal(engine, id).await, "run_resumed") > 0 {
            return Some(true);
        }
        job.outcome().map(|_| false)
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_resumes_at_once_one_wins() {
    let place = Place::new();
    let dead = Job {
        kill_after: Some(4),
        ..Job::start(place.path())
    };
    dead.spawn().wait().expect("killed");
    let id = started_run(place.path()).expect("it began");
    until_free(&place.engine().await, &id).await;
    let jobs = ["left", "right"].map(|name| Job {
        name: name.to_owned(),
        resume: Some(id.to_string()),
        lease_ms: 10_000,
        ..Job::start(place.path())
    });
    let children = jobs.each_ref().map(Job::spawn);
    for mut child in children {
        child.wait().expect("ends");
    }
    let mut outcomes = jobs.map(|job| job.outcome().expect("not killed"));
    outcomes.sort();
    assert_eq!(outcomes, ["conflict", "ok"]);
    let engine = place.engine().await;
    let events = journal(&engine, &id).await;
    assert_eq!(count(&events, "run_resumed"), 1);
    final_result(&events);
}
