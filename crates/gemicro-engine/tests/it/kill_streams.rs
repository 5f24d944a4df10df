//! `kill -9` of a run that asks a model over HTTP: at every event boundary, inside every stream, and in the
//! moments between the provider's word and ours. No completed call is sent twice, an interrupted one is asked
//! for by its name, and what cannot be asked for is counted at its worst case.

use std::os::unix::process::ExitStatusExt;

use futures_util::{StreamExt, stream};
use gemicro_core::research::events::FinalResult;
use gemicro_core::run::events::RunReaders;
use gemicro_event::{Event, StreamId};
use gemicro_sim::scenario::ScenarioEndpoint;

use crate::child::{Job, started_run};
use crate::kill::{resume_soon, until_free};
use crate::simulated::{
    N_CALLS, Simulated, calm_result, check_result, ended, is_handle, kill, lost_for_good, scenario, step_of,
    until, until_completed, until_event,
};
use crate::support::journal;

/// Deaths tried out at the same time: most of each is waiting.
const AT_ONCE: usize = 4;

/// Where a stream is killed.
#[derive(Debug, Clone, Copy)]
struct Point {
    call: usize,
    /// After how many pieces of its answer.
    after_chunks: usize,
    /// Whether the answer goes on only once the next process listens; otherwise it ends before that.
    still_runs: bool,
}

/// Goes on with a run in this process and gives its journal.
async fn resumed(world: &Simulated, id: &StreamId) -> Vec<Event> {
    let engine = world.engine().await;
    if let Some(run) = resume_soon(&engine, id).await {
        run.wait().await.expect("the resumed run ends");
    }
    journal(&engine, id).await
}

/// Every call was sent once, but for attempts that were cut off before their handle was written.
fn check_posts(world: &Simulated, events: &[Event], what: &str) {
    let posts = world.posts();
    assert_eq!(posts.len(), N_CALLS, "{what}: {posts:?}");
    for (step, n_posts) in posts {
        let lost = events.iter().filter_map(|event| event.update.as_step_lost());
        let n_lost = lost
            .filter(|lost| lost.step.as_str() == step && !lost.kept)
            .count();
        assert!(
            n_posts <= 1 + n_lost,
            "{what}: {step} was sent {n_posts} times, {n_lost} lost"
        );
    }
}

/// What was completed before the kill is not sent after it.
fn check_completed(world: &Simulated, before: &[Event], since: usize, what: &str) {
    let completed: Vec<String> = before
        .iter()
        .filter_map(|event| event.update.as_step_completed())
        .map(|done| done.step.to_string())
        .collect();
    for entry in world.requests(ScenarioEndpoint::Interactions, since) {
        let rule = entry.rule.unwrap_or_default();
        assert!(!completed.contains(&rule), "{what}: {rule} was sent again");
    }
}

async fn killed_in_stream(point: Point, calm: &FinalResult) {
    let what = format!("{point:?}");
    let gate = format!(", gate: {{ name: held, after_chunks: {} }}", point.after_chunks);
    let world = Simulated::new(&scenario("", Some((point.call, &gate)))).await;
    let child = world.job().spawn();
    world.simulator.gates().wait_until_reached("held", 1).await;
    let engine = world.engine().await;
    let id = until_event(&engine, &world.place, "the handle", |event| {
        is_handle(event, point.call)
    })
    .await;
    kill(child).await;
    let (before, since) = (journal(&engine, &id).await, world.n_logged());

    let listens = async {
        if point.still_runs {
            until("the next listener", async || {
                let mut looks = world
                    .requests(ScenarioEndpoint::GetInteraction, since)
                    .into_iter();
                looks.any(|it| it.path.contains("stream=true")).then_some(())
            })
            .await;
        }
        world.simulator.gates().open("held");
    };
    let (events, ()) = tokio::join!(
        async {
            if !point.still_runs {
                // The answer ends while nobody listens.
                until("the end of the answer", async || {
                    (world.simulator.gates().n_waiting("held") == 0).then_some(())
                })
                .await;
            }
            resumed(&world, &id).await
        },
        listens
    );

    check_result(&events, calm, &what);
    check_completed(&world, &before, since, &what);
    let step = step_of(point.call);
    assert_eq!(world.posts()[&step], 1, "{what}: {:?}", world.posts());
    let handle = before
        .iter()
        .filter(|event| is_handle(event, point.call))
        .find_map(|event| event.update.as_step_handle())
        .expect("waited for");
    let interaction = handle.handle["interaction"].as_str().expect("an id").to_owned();
    let looks = world.requests(ScenarioEndpoint::GetInteraction, since);
    assert!(
        looks.iter().any(|look| look.path.contains(&interaction)),
        "{what}: nobody asked for {interaction}"
    );
    check_posts(&world, &events, &what);
}

async fn at_every(points: Vec<Point>) {
    let calm = calm_result().await;
    let calm = &calm;
    stream::iter(points)
        .for_each_concurrent(AT_ONCE, |point| killed_in_stream(point, calm))
        .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_that_was_killed_is_asked_for_by_its_name() {
    let calls = 0..N_CALLS;
    let points = calls.map(|call| Point {
        call,
        after_chunks: [0, 3, 6][call % 3],
        still_runs: call % 2 == 0,
    });
    at_every(points.collect()).await;
}

/// The whole matrix: `cargo nextest run -p gemicro-engine --run-ignored only`.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "112 deaths, about a minute; a selection runs always"]
async fn every_stream_killed_after_any_piece_is_asked_for_by_its_name() {
    let mut points = Vec::new();
    for call in 0..N_CALLS {
        for after_chunks in 0..8 {
            points.extend([false, true].map(|still_runs| Point {
                call,
                after_chunks,
                still_runs,
            }));
        }
    }
    at_every(points).await;
}

/// Kills a run where its job says, goes on with it, and checks everything; tells whether it was killed.
async fn killed_by_itself(calm: &FinalResult, kill_after: usize, max_parallel: usize) -> bool {
    let what = format!("append {kill_after} of {max_parallel} at once");
    let world = Simulated::new(&scenario("", None)).await;
    let job = Job {
        kill_after: Some(kill_after),
        max_parallel,
        ..world.job()
    };
    let status = ended(job.spawn()).await;
    let id = started_run(world.place.path()).expect("it began");
    let before = journal(&world.engine().await, &id).await;
    let since = world.n_logged();
    let events = resumed(&world, &id).await;
    check_result(&events, calm, &what);
    check_posts(&world, &events, &what);
    check_completed(&world, &before, since, &what);
    status.signal() == Some(9)
}

async fn kill_at_boundaries(boundaries: std::ops::RangeInclusive<usize>, max_parallel: usize) -> usize {
    let calm = calm_result().await;
    let calm = &calm;
    let killed = stream::iter(boundaries)
        .map(|kill_after| killed_by_itself(calm, kill_after, max_parallel))
        .buffer_unordered(AT_ONCE)
        .filter(|was_killed| std::future::ready(*was_killed));
    killed.count().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_that_asks_a_model_survives_a_kill_at_any_event_boundary() {
    // Starts, handles and results of the branches are grouped as they come: the more, the busier the machine is.
    let n_killed = kill_at_boundaries(1..=18, 8).await;
    assert!(n_killed >= 8, "only {n_killed} boundaries");
}

/// One step after the other, so that every event stands alone.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_that_asks_a_model_step_by_step_survives_a_kill_at_any_event_boundary() {
    // run_started; the first start; the end of each of thirteen steps with what follows from it. Handles stand alone
    // where the answer takes its time.
    let n_killed = kill_at_boundaries(1..=36, 1).await;
    assert!(n_killed >= 14, "only {n_killed} boundaries");
}

/// Kills a run just before a fact is written, and goes on with it.
async fn killed_before(kind: &str, nth: usize) -> (Simulated, Vec<Event>, FinalResult) {
    let calm = calm_result().await;
    let world = Simulated::new(&scenario("", None)).await;
    let job = Job {
        kill_before: Some((kind.to_owned(), nth)),
        max_parallel: 1,
        ..world.job()
    };
    assert_eq!(ended(job.spawn()).await.signal(), Some(9));
    let id = started_run(world.place.path()).expect("it began");
    let events = resumed(&world, &id).await;
    (world, events, calm)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_whose_handle_was_not_written_yet_is_counted_and_sent_again() {
    // The third handle is that of the second branch.
    let (world, events, calm) = killed_before("step_handle", 3).await;
    check_result(&events, &calm, "lost");
    let lost = events.iter().find_map(|event| event.update.as_step_lost());
    let lost = lost.expect("noted");
    let started = events.iter().filter_map(|event| event.update.as_step_started());
    let reserved = started.map(|it| (it.step, it.attempt, it.reserved));
    let reserved: Vec<_> = reserved.filter(|it| it.0 == lost.step).collect();
    assert_eq!(lost.step.as_str(), step_of(2));
    assert!(!lost.kept && lost.charge.tokens > 0);
    assert_eq!(
        (lost.charge, reserved.len()),
        (reserved[0].2.as_upper_bound(), 2),
        "its worst case is counted, and it starts again"
    );
    assert_eq!(lost_for_good(&events), lost.charge);
    let mut posts = world.posts();
    assert_eq!(posts.remove(&step_of(2)), Some(2));
    assert!(posts.values().all(|n| *n == 1), "{posts:?}");
    assert_eq!(world.requests(ScenarioEndpoint::GetInteraction, 0).len(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_that_came_but_was_not_written_is_fetched_again_and_paid_once() {
    // Sources, decomposition, the search and then the answer of the first branch.
    let (world, events, calm) = killed_before("step_completed", 4).await;
    check_result(&events, &calm, "fetched again");
    assert_eq!(lost_for_good(&events).tokens, 0);
    assert!(world.posts().values().all(|n| *n == 1), "{:?}", world.posts());
    assert_eq!(world.requests(ScenarioEndpoint::GetInteraction, 0).len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_that_was_killed_twice_is_still_sent_once() {
    let calm = calm_result().await;
    let gate = ", gate: { name: held, after_chunks: 3 }";
    let world = Simulated::new(&scenario("", Some((3, gate)))).await;
    let first = world.job().spawn();
    let engine = world.engine().await;
    world.simulator.gates().wait_until_reached("held", 1).await;
    let handle = |event: &Event| is_handle(event, 3);
    until_event(&engine, &world.place, "the handle", handle).await;
    let id = until_completed(&engine, &world.place, 4).await;
    kill(first).await;
    // The second process picks the call up and dies while it listens.
    let since = world.n_logged();
    until_free(&engine, &id).await;
    let second = world.job().resuming("second", &id).spawn();
    until("the second listener", async || {
        let mut looks = world
            .requests(ScenarioEndpoint::GetInteraction, since)
            .into_iter();
        looks.any(|it| it.path.contains("stream=true")).then_some(())
    })
    .await;
    kill(second).await;
    world.simulator.gates().open("held");
    let events = resumed(&world, &id).await;
    check_result(&events, &calm, "killed twice");
    assert!(world.posts().values().all(|n| *n == 1), "{:?}", world.posts());
}
