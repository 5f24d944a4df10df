//! The dead-letter list: what gets on it, and what takes it off.

use gemicro_core::store::{NewEvent, NewStream, StepMark, Store};
use gemicro_event::{ErrorKind, Failure, StepKey, StreamId, Timestamp};
use gemicro_store::{DeadLetterFilter, DeadLetterRow, DurableStore};
use serde_json::json;

use super::World;
use crate::make::{append_outside, end, event, free_run, new_run, note, of_step};

/// A step that failed for good at a second after a fixed moment.
pub(crate) fn failed(step: &str, attempt: u32, kind: ErrorKind, second: i64) -> NewEvent {
    let error = Failure::new(kind, format!("{step} did not work"));
    let data = json!({ "step": step, "attempt": attempt, "error": error });
    let mut failed = event("step_failed", data);
    failed.update.timestamp = at(second);
    failed.step = Some(StepKey::new(step));
    failed
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_millis(1_700_000_000_000 + second * 1000)
}

/// A run whose data says that it does again what failed in its parent, or not.
pub(crate) fn child_of(parent: &StreamId, resubmits: serde_json::Value) -> NewStream {
    let data = json!({ "flow": "research", "flow_version": 1, "program": "test", "title": "again", "plan": {},
        "resubmits": resubmits });
    NewStream {
        parent_run: Some(parent.clone()),
        ..new_run(&StreamId::random(), vec![event("run_started", data)])
    }
}

pub(crate) async fn resubmit(store: &DurableStore, parent: &StreamId) -> StreamId {
    let new = child_of(parent, json!(true));
    let stream = new.stream.clone();
    store.create(new).await.unwrap();
    stream
}

pub(crate) async fn letters(store: &DurableStore, include_resubmitted: bool) -> Vec<DeadLetterRow> {
    let filter = DeadLetterFilter {
        include_resubmitted,
        ..DeadLetterFilter::default()
    };
    store.dead_letters(&filter).await.unwrap()
}

/// The letters in short: step, and whether or by whom it is done again.
pub(crate) async fn marks(store: &DurableStore) -> Vec<(String, Option<StreamId>)> {
    let all = letters(store, true).await;
    all.into_iter()
        .map(|row| (row.step.to_string(), row.resubmitted_as))
        .collect()
}

pub(super) async fn steps_that_failed_for_good_are_listed_newest_first(world: &World) {
    let store = world.store().await;
    let first = free_run(&store, "first").await;
    let second = free_run(&store, "second").await;
    append_outside(
        &store,
        &first,
        vec![
            of_step("fine", StepMark::Started(1)),
            of_step("fine", StepMark::Ended(1)),
            failed("ask", 3, ErrorKind::UpstreamError, 10),
            failed("late", 1, ErrorKind::MalformedOutput, 30),
        ],
    )
    .await
    .unwrap();
    append_outside(
        &store,
        &second,
        vec![failed("ask", 1, ErrorKind::AuthFailed, 20), end()],
    )
    .await
    .unwrap();
    let row = |run: &StreamId, step: &str, attempts, error_kind, second| DeadLetterRow {
        run: run.clone(),
        step: StepKey::new(step),
        attempts,
        error_kind,
        message: format!("{step} did not work"),
        at: at(second),
        resubmitted_as: None,
    };
    let expected = vec![
        row(&first, "late", 1, ErrorKind::MalformedOutput, 30),
        row(&second, "ask", 1, ErrorKind::AuthFailed, 20),
        row(&first, "ask", 3, ErrorKind::UpstreamError, 10),
    ];
    assert_eq!(letters(&store, false).await, expected);
    let one = DeadLetterFilter {
        limit: Some(1),
        ..DeadLetterFilter::default()
    };
    assert_eq!(store.dead_letters(&one).await.unwrap(), expected[..1]);
    let of_second = DeadLetterFilter {
        run: Some(second),
        ..DeadLetterFilter::default()
    };
    assert_eq!(store.dead_letters(&of_second).await.unwrap(), expected[1..2]);
    let of_nobody = DeadLetterFilter {
        run: Some(StreamId::random()),
        ..DeadLetterFilter::default()
    };
    assert_eq!(store.dead_letters(&of_nobody).await.unwrap(), vec![]);
}

pub(super) async fn steps_that_another_run_could_not_fix_are_no_dead_letters(world: &World) {
    let store = world.store().await;
    let stream = free_run(&store, "refused").await;
    let events = vec![
        failed("stopped", 1, ErrorKind::Cancelled, 1),
        failed("suspended", 1, ErrorKind::Interrupted, 2),
        failed("nothing there", 1, ErrorKind::NoEvidence, 3),
        failed("no money at first", 0, ErrorKind::BudgetExceeded, 4),
        failed("no money left", 2, ErrorKind::BudgetExceeded, 5),
        failed("never tried", 0, ErrorKind::UpstreamError, 6),
        event("step_failed", json!({ "of another shape": true })),
        event(
            "step_retrying",
            failed("again", 1, ErrorKind::Timeout, 7)
                .update
                .data
                .parse()
                .unwrap(),
        ),
    ];
    append_outside(&store, &stream, events).await.unwrap();
    assert_eq!(letters(&store, true).await, vec![]);
}

pub(super) async fn a_run_that_resubmits_takes_the_letters_of_its_parent_off_the_list(world: &World) {
    let store = world.store().await;
    let parent = free_run(&store, "parent").await;
    let other = free_run(&store, "other").await;
    let ask = |second| vec![failed("ask", 2, ErrorKind::Timeout, second)];
    append_outside(&store, &parent, ask(1)).await.unwrap();
    append_outside(&store, &other, ask(2)).await.unwrap();

    for resubmits in [json!(false), json!("yes"), json!(null)] {
        store.create(child_of(&parent, resubmits)).await.unwrap();
    }
    let mut not_first = child_of(&parent, json!(true));
    not_first.events.insert(0, note(1));
    store.create(not_first).await.unwrap();
    let mut orphan = child_of(&parent, json!(true));
    orphan.parent_run = None;
    store.create(orphan).await.unwrap();
    assert_eq!(letters(&store, false).await.len(), 2, "none of them resubmits");

    let again = resubmit(&store, &parent).await;
    let open_letters = letters(&store, false).await;
    assert_eq!(
        open_letters.iter().map(|row| &row.run).collect::<Vec<_>>(),
        [&other]
    );
    assert_eq!(
        marks(&store).await,
        [("ask".to_owned(), None), ("ask".to_owned(), Some(again.clone()))]
    );

    // What fails later was not done again; the newest resubmission is the one that is named.
    append_outside(&store, &parent, vec![failed("later", 1, ErrorKind::Timeout, 3)])
        .await
        .unwrap();
    assert_eq!(marks(&store).await[0], ("later".to_owned(), None));
    let newest = resubmit(&store, &parent).await;
    assert_eq!(marks(&store).await[0].1, Some(newest.clone()));
    assert_eq!(marks(&store).await[2].1, Some(newest.clone()));
    // It stays known when it is erased itself.
    store.erase(&newest).await.unwrap();
    assert_eq!(marks(&store).await[0].1, Some(newest));
}

pub(super) async fn one_transaction_keeps_the_order_of_failure_and_resubmission(world: &World) {
    let store = world.store().await;
    // The writer takes all that waits at once; that all three wait together is likely, not certain.
    for _ in 0..50 {
        let parent = free_run(&store, "parent").await;
        let n_groups = store.n_groups();
        let ask = |step| vec![failed(step, 2, ErrorKind::Timeout, 1)];
        let again = child_of(&parent, json!(true));
        let id = again.stream.clone();
        let (before, created, after) = tokio::join!(
            append_outside(&store, &parent, ask("before")),
            store.create(again),
            append_outside(&store, &parent, ask("after")),
        );
        before.unwrap();
        created.unwrap();
        after.unwrap();
        if store.n_groups() == n_groups + 1 {
            let letters = letters(&store, true).await.into_iter();
            let marks: Vec<_> = letters
                .filter(|letter| letter.run == parent)
                .map(|letter| (letter.step.to_string(), letter.resubmitted_as))
                .collect();
            assert_eq!(
                marks,
                [("after".to_owned(), None), ("before".to_owned(), Some(id))]
            );
            return;
        }
    }
    panic!("never one transaction");
}
