//! Death at every append of a five-branch run, before and after it became durable: the same report, no
//! completed step twice, one terminal event, no call beyond the lost attempts.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use gemicro_core::drive::{DriveEnd, DriveError, resume};
use gemicro_core::llm::scripted::{Part, ScriptedModel};
use gemicro_core::research::ResearchFlow;
use gemicro_core::run::events::RunReaders;
use gemicro_core::store::{MemoryStore, StoreError};
use gemicro_event::{Event, StreamId};

use crate::support::{
    Death, ProbeStore, ResearchSetup, count, expire_lease, final_result, journal, terminal,
};

/// Model steps of the run: one decomposition, five answers, one report.
const N_MODEL_STEPS: usize = 7;

struct Life {
    setup: ResearchSetup,
    model: Arc<ScriptedModel>,
}

fn life(max_parallel: usize) -> Life {
    let model = Arc::new(ScriptedModel::new(Part::Perfect));
    let setup = ResearchSetup {
        max_parallel,
        ..ResearchSetup::with_model(model.clone())
    };
    Life { setup, model }
}

/// The undisturbed run: its journal and how many appends it took.
async fn calm(max_parallel: usize) -> (Vec<Event>, usize) {
    let Life { setup, model } = life(max_parallel);
    let store = ProbeStore::new();
    let (id, ended) = setup.run(&store).await;
    ended.expect("it ends");
    assert_eq!(model.n_calls(), N_MODEL_STEPS);
    (journal(&store, &id).await, store.n_appends())
}

/// Holds the whole journal of a run that died against the undisturbed one.
fn check(events: &[Event], calm: &[Event], life: &Life, death: Death) {
    let (ours, theirs) = (
        final_result(events).expect("a result"),
        final_result(calm).expect("a result"),
    );
    assert_eq!(ours.answer, theirs.answer, "{death:?}");
    assert_eq!(ours.citations, theirs.citations, "{death:?}");
    assert_eq!(
        (ours.unanswered, ours.partial),
        (theirs.unanswered, theirs.partial),
        "{death:?}"
    );
    let mut completed: BTreeMap<String, usize> = BTreeMap::new();
    for done in events.iter().filter_map(|event| event.update.as_step_completed()) {
        *completed.entry(done.step.to_string()).or_default() += 1;
    }
    assert!(completed.values().all(|n| *n == 1), "{death:?}: {completed:?}");
    assert_eq!(completed.len(), count(calm, "step_completed"), "{death:?}");
    for fact in [
        "sub_query_started",
        "sub_query_completed",
        "decomposition_complete",
        "sources_read",
    ] {
        assert_eq!(count(events, fact), count(calm, fact), "{death:?}: {fact}");
    }
    let n_lost = count(events, "step_lost");
    assert!(
        life.model.n_calls() <= N_MODEL_STEPS + n_lost,
        "{death:?}: {} calls",
        life.model.n_calls()
    );
    assert!(
        life.setup.library.n_reads.load(Ordering::SeqCst) <= 1 + n_lost,
        "{death:?}"
    );
    assert!(
        events
            .iter()
            .enumerate()
            .all(|(idx, event)| event.seq == idx as u64 + 1),
        "{death:?}: a gap"
    );
    terminal(events);
}

/// One death, one resume.
async fn die_once(calm: &[Event], death: Death, max_parallel: usize) -> bool {
    let life = life(max_parallel);
    let first = ProbeStore::over(MemoryStore::new(), death);
    let (id, ended) = life.setup.run(&first).await;
    let died = ended.is_err();
    if first.streams().is_empty() {
        let error = life
            .setup
            .resume(&ProbeStore::new(), &id)
            .await
            .expect_err("it never began");
        assert_eq!(
            error,
            StoreError::NotFound {
                stream: id.to_string()
            }
            .into()
        );
        return died;
    }
    expire_lease(&first, &id).await;
    let second = ProbeStore::over(first.inner.clone(), Death::Never);
    match life.setup.resume(&second, &id).await {
        Ok(DriveEnd::Terminal(_)) => {}
        Err(DriveError::Store(StoreError::Ended { .. })) => {}
        other => panic!("{death:?}: {other:?}"),
    }
    check(&journal(&second, &id).await, calm, &life, death);
    died
}

#[tokio::test]
async fn a_run_that_dies_at_any_append_gives_the_same_report() {
    // One by one every fact is an append of its own; in parallel, results are grouped as they come.
    for max_parallel in [1, 8] {
        let (calm, n_appends) = calm(max_parallel).await;
        let mut n_deaths = 0;
        // How results are grouped may differ from run to run; the last numbers may not be reached.
        for k in 1..=n_appends + 2 {
            for death in [Death::Before(k), Death::After(k)] {
                n_deaths += usize::from(die_once(&calm, death, max_parallel).await);
            }
        }
        println!("{n_deaths} deaths at {n_appends} appends");
        assert!(
            n_deaths >= 2 * (n_appends - 6),
            "{n_deaths} deaths in {n_appends} appends"
        );
    }
}

#[tokio::test]
async fn a_run_that_dies_again_and_again_still_ends() {
    let (calm, _) = calm(8).await;
    for stride in 3..6 {
        let life = life(8);
        let mut store = ProbeStore::over(MemoryStore::new(), Death::After(stride));
        let (id, _) = life.setup.run(&store).await;
        let mut n_lives = 1;
        while !has_ended(&store, &id).await {
            expire_lease(&store, &id).await;
            store = ProbeStore::over(store.inner.clone(), Death::After(stride));
            let ctx = life.setup.context(&store);
            if let Ok(lease) = resume(&ctx, &ResearchFlow, &id).await {
                let _ = gemicro_core::drive::drive(&ctx, &ResearchFlow, lease).await;
            }
            n_lives += 1;
            assert!(n_lives < 200, "every life does something");
        }
        check(&journal(&store, &id).await, &calm, &life, Death::After(stride));
        assert!(n_lives > 2);
    }
}

async fn has_ended(store: &ProbeStore, id: &StreamId) -> bool {
    let events = journal(store, id).await;
    events
        .last()
        .is_some_and(|event| gemicro_event::is_terminal(&event.update.event_type))
}

#[tokio::test]
async fn an_attempt_after_a_crash_asks_for_the_same_thing() {
    // The report's request must not shrink because its first attempt was cut off.
    let (_, n_appends) = calm(8).await;
    for k in 1..=n_appends {
        let life = life(8);
        let first = ProbeStore::over(MemoryStore::new(), Death::After(k));
        let (id, _) = life.setup.run(&first).await;
        expire_lease(&first, &id).await;
        let second = ProbeStore::over(first.inner.clone(), Death::Never);
        let _ = life.setup.resume(&second, &id).await;
        let mut inputs: BTreeMap<String, String> = BTreeMap::new();
        for started in journal(&second, &id)
            .await
            .iter()
            .filter_map(|event| event.update.as_step_started())
        {
            let input = started.input.text().to_owned();
            let known = inputs
                .entry(started.step.to_string())
                .or_insert_with(|| input.clone());
            assert_eq!(*known, input, "attempt {} of {}", started.attempt, started.step);
        }
    }
}
