//! `kill -9` at every event boundary of a five-branch run over a real store: the same report, no completed
//! step twice, exactly one terminal event (R7).

use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt;

use gemicro_core::research::events::FinalResult;
use gemicro_core::run::events::RunReaders;
use gemicro_engine::{DrivenRun, Engine};
use gemicro_event::{ErrorKind, Event, StreamId};

use crate::child::{Job, started_run};
use crate::simulated::until;
use crate::support::{Place, calm_result, count, final_result, journal};

/// Model steps of the run: one decomposition, five answers, one report.
const N_MODEL_STEPS: usize = 7;

fn check(events: &[Event], calm: &FinalResult, n_calls: usize, k: usize) {
    let result = final_result(events);
    assert_eq!(result.answer, calm.answer, "killed after append {k}");
    assert_eq!(result.citations, calm.citations, "killed after append {k}");
    assert_eq!(result.partial, None, "killed after append {k}");
    let mut completed: BTreeMap<String, usize> = BTreeMap::new();
    for done in events.iter().filter_map(|event| event.update.as_step_completed()) {
        *completed.entry(done.step.to_string()).or_default() += 1;
    }
    // Sources, decomposition, five searches, five answers, the report.
    assert_eq!(completed.len(), 13, "killed after append {k}: {completed:?}");
    assert!(
        completed.values().all(|n| *n == 1),
        "killed after append {k}: {completed:?}"
    );
    let n_lost = count(events, "step_lost");
    assert!(
        n_calls <= N_MODEL_STEPS + n_lost,
        "killed after append {k}: {n_calls} calls, {n_lost} lost"
    );
    assert!(
        events
            .iter()
            .enumerate()
            .all(|(idx, event)| event.seq == idx as u64 + 1),
        "a gap after {k}"
    );
}

/// Resumes as soon as the dead process's lease is over.
pub(crate) async fn resume_soon(engine: &Engine, id: &StreamId) -> Option<DrivenRun> {
    until("the end of the lease", async || {
        match engine.resume(id, Default::default()).await {
            Ok(run) => return Some(Some(run)),
            Err(failure) if failure.message.contains("has ended") => return Some(None),
            Err(failure) => assert_eq!(failure.kind, ErrorKind::Conflict, "{failure}"),
        }
        None
    })
    .await
}

/// Waits until the lease of a dead process is over.
pub(crate) async fn until_free(engine: &Engine, id: &StreamId) {
    until("the end of the lease", async || {
        let is_held = engine.store().is_held(id).await.expect("readable");
        (!is_held).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_killed_at_any_event_boundary_gives_the_same_report() {
    // The run with its first start; the end of each of thirteen steps with what follows from it.
    kill_everywhere(1, 14).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_killed_with_all_branches_open_gives_the_same_report() {
    // Starts and results of the branches are grouped as they come: the more, the busier the machine is.
    kill_everywhere(8, 6).await;
}

async fn kill_everywhere(max_parallel: usize, n_boundaries: usize) {
    let calm = calm_result().await;
    let mut n_killed = 0;
    for k in 1.. {
        let place = Place::new();
        let job = Job {
            kill_after: Some(k),
            max_parallel,
            ..Job::start(place.path())
        };
        let status = job.spawn().wait().expect("the child ends");
        let id = started_run(place.path()).expect("it began");
        let engine = place.engine().await;
        if let Some(run) = resume_soon(&engine, &id).await {
            run.wait().await.expect("the resumed run ends");
        }
        check(&journal(&engine, &id).await, &calm, place.n_calls(), k);
        if status.signal() != Some(9) {
            assert_eq!(job.outcome().as_deref(), Some("ok"), "it ended before append {k}");
            break;
        }
        n_killed += 1;
    }
    assert!(n_killed >= n_boundaries, "only {n_killed} boundaries");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_killed_again_and_again_still_ends() {
    let calm = calm_result().await;
    let place = Place::new();
    let first = Job {
        kill_after: Some(3),
        ..Job::start(place.path())
    };
    first.spawn().wait().expect("the child ends");
    let id = started_run(place.path()).expect("it began");
    let engine = place.engine().await;
    for life in 0..60 {
        until_free(&engine, &id).await;
        let name = format!("life-{life}");
        let job = Job {
            name,
            resume: Some(id.to_string()),
            kill_after: Some(4),
            ..Job::start(place.path())
        };
        job.spawn().wait().expect("the child ends");
        if job.outcome().is_some_and(|outcome| outcome == "ok") {
            break;
        }
    }
    if let Some(run) = resume_soon(&engine, &id).await {
        run.wait().await.expect("it ends");
    }
    let events = journal(&engine, &id).await;
    assert!(count(&events, "run_resumed") >= 2);
    check(&events, &calm, place.n_calls(), 4);
}
