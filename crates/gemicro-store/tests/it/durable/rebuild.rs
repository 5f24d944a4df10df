//! Lists that were lost are made again from the events.

use gemicro_core::store::{StepMark, StoreError, Writer};
use gemicro_event::{ErrorKind, StepKey};
use gemicro_store::{DeadLetterFilter, RunFilter};

use super::World;
use super::dead_letters::failed;
use crate::make::{append, append_outside, end, free_run, large, note, of_step};

pub(super) async fn lists_that_were_spoiled_are_made_again(world: &World) {
    let store = world.store().await;
    for n in 0..5 {
        let stream = free_run(&store, &format!("run {n}")).await;
        let events = vec![
            of_step("a", StepMark::Started(3)),
            large("x"),
            failed("lost", 2, ErrorKind::Timeout, n),
        ];
        append_outside(&store, &stream, events).await.unwrap();
        if n == 1 {
            append_outside(&store, &stream, vec![end()]).await.unwrap();
        }
        if n == 2 {
            store.erase(&stream).await.unwrap();
        }
    }
    let runs = store.runs(&RunFilter::default()).await.unwrap();
    let letters = store.dead_letters(&DeadLetterFilter::default()).await.unwrap();
    assert_eq!((runs.len(), letters.len()), (4, 4));

    world
        .execute(
            "UPDATE runs SET title = 'lost', n_events = 0, status = 'parked' WHERE title <> 'erased'; \
             DELETE FROM running_steps; DELETE FROM dead_letters; \
             UPDATE streams SET ended = FALSE WHERE erased_at IS NULL",
        )
        .await;
    let spoiled = store.runs(&RunFilter::default()).await.unwrap_err();
    assert!(spoiled.to_string().contains("gemicro store rebuild"), "{spoiled}");
    let report = store.rebuild().await.unwrap();
    assert_eq!(
        (report.n_streams, report.n_events, report.unreadable.len()),
        (4, 17, 0)
    );
    assert_eq!(store.runs(&RunFilter::default()).await.unwrap(), runs);
    let listed = store.dead_letters(&DeadLetterFilter::default()).await.unwrap();
    assert_eq!(listed, letters);

    // The fences are there again too: the attempt that runs, and the end of a run.
    let executor = || Writer::Executor {
        step: StepKey::new("a"),
        attempt: 3,
    };
    append(&store, &runs[0].run, executor(), vec![note(1)])
        .await
        .unwrap();
    let late = append(&store, &runs[2].run, executor(), vec![note(1)]).await;
    let stream = runs[2].run.clone();
    assert_eq!(late.unwrap_err(), StoreError::Ended { stream });
}
