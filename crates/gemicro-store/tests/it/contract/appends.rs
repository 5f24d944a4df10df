//! Numbering, ends, all or nothing.

use std::sync::Arc;

use gemicro_core::store::{NewStream, Store, StoreError, StreamKind};
use gemicro_event::{StreamId, is_terminal};

use crate::make::{all, append_outside, end, free_run, gap_free, new_run, note, started};

pub(crate) async fn seq_is_gap_free_under_16_appenders(store: Arc<dyn Store>) {
    let streams = [free_run(&*store, "a").await, free_run(&*store, "b").await];
    let appenders: Vec<_> = (0..16)
        .map(|appender| {
            let (store, stream) = (Arc::clone(&store), streams[appender % 2].clone());
            tokio::spawn(async move {
                for n in 0..25 {
                    let appended = append_outside(&*store, &stream, vec![note(n), note(n)])
                        .await
                        .unwrap();
                    let [first, second] = appended.events.as_slice() else {
                        panic!("two events")
                    };
                    assert_eq!(first.seq + 1, second.seq);
                }
            })
        })
        .collect();
    for appender in appenders {
        appender.await.unwrap();
    }
    for stream in &streams {
        assert_eq!(gap_free(&all(&*store, stream).await), 1 + 8 * 25 * 2);
    }
}

pub(crate) async fn creating_twice_is_refused(store: Arc<dyn Store>) {
    let stream = free_run(&*store, "first").await;
    let again = store.create(new_run(&stream, vec![started("second")])).await;
    assert_eq!(
        again.unwrap_err(),
        StoreError::Exists {
            stream: stream.clone()
        }
    );
    assert_eq!(all(&*store, &stream).await[0].update.data["title"], "first");
}

pub(crate) async fn an_unknown_run_is_not_found(store: Arc<dyn Store>) {
    let stream = StreamId::random();
    let missing = StoreError::NotFound {
        stream: stream.to_string(),
    };
    assert_eq!(store.read(&stream, 0, 1).await.unwrap_err(), missing);
    assert_eq!(
        append_outside(&*store, &stream, vec![note(1)]).await.unwrap_err(),
        missing
    );
    assert_eq!(
        store
            .take_lease(&stream, "me", crate::make::MINUTE)
            .await
            .unwrap_err(),
        missing
    );
    assert_eq!(store.open_commands(&stream).await.unwrap_err(), missing);
    assert_eq!(store.load_snapshot(&stream).await.unwrap_err(), missing);
}

pub(crate) async fn pages_follow_each_other(store: Arc<dyn Store>) {
    let stream = free_run(&*store, "pages").await;
    append_outside(&*store, &stream, (0..10).map(note).collect())
        .await
        .unwrap();
    let whole = all(&*store, &stream).await;
    let mut pieces = Vec::new();
    while let Some(page) = Some(store.read(&stream, pieces.len() as u64, 4).await.unwrap())
        .filter(|page| !page.events.is_empty())
    {
        assert!(page.events.len() <= 4);
        assert_eq!((page.first_available, page.last_seq), (None, 11));
        pieces.extend(page.events);
    }
    assert_eq!(pieces, whole);
    let nothing = store.read(&stream, 0, 0).await.unwrap();
    assert_eq!((nothing.events.len(), nothing.last_seq), (0, 11));
}

pub(crate) async fn nothing_follows_the_end(store: Arc<dyn Store>) {
    let stream = free_run(&*store, "ends").await;
    append_outside(&*store, &stream, vec![note(1), end()])
        .await
        .unwrap();
    let late = append_outside(&*store, &stream, vec![note(2)]).await;
    assert_eq!(
        late.unwrap_err(),
        StoreError::Ended {
            stream: stream.clone()
        }
    );
    assert_eq!(gap_free(&all(&*store, &stream).await), 3);
}

pub(crate) async fn an_append_is_all_or_nothing(store: Arc<dyn Store>) {
    let stream = free_run(&*store, "whole").await;
    let refused = append_outside(&*store, &stream, vec![note(1), end(), note(2)]).await;
    assert_eq!(
        refused.unwrap_err(),
        StoreError::Ended {
            stream: stream.clone()
        }
    );
    assert_eq!(gap_free(&all(&*store, &stream).await), 1);
    append_outside(&*store, &stream, vec![note(3)]).await.unwrap();
    let other = StreamId::random();
    let refused = store.create(new_run(&other, vec![end(), note(1)])).await;
    assert_eq!(
        refused.unwrap_err(),
        StoreError::Ended {
            stream: other.clone()
        }
    );
    assert_eq!(
        store.read(&other, 0, 1).await.unwrap_err(),
        StoreError::NotFound {
            stream: other.to_string()
        }
    );
}

pub(crate) async fn of_two_racing_ends_one_wins(store: Arc<dyn Store>) {
    for _ in 0..20 {
        let stream = free_run(&*store, "race").await;
        let racers: Vec<_> = (0..4)
            .map(|_| {
                let (store, stream) = (Arc::clone(&store), stream.clone());
                tokio::spawn(async move { append_outside(&*store, &stream, vec![end()]).await })
            })
            .collect();
        let mut n_winners = 0;
        for racer in racers {
            match racer.await.unwrap() {
                Ok(_) => n_winners += 1,
                Err(error) => assert_eq!(
                    error,
                    StoreError::Ended {
                        stream: stream.clone()
                    }
                ),
            }
        }
        let events = all(&*store, &stream).await;
        let n_ends = events
            .iter()
            .filter(|event| is_terminal(&event.update.event_type))
            .count();
        assert_eq!((n_winners, n_ends, gap_free(&events)), (1, 1, 2));
    }
}

pub(crate) async fn a_conversation_has_no_end(store: Arc<dyn Store>) {
    let stream = StreamId::random();
    let new = NewStream {
        kind: StreamKind::Conversation,
        ..new_run(&stream, vec![note(1)])
    };
    store.create(new).await.unwrap();
    append_outside(&*store, &stream, vec![end(), note(2)])
        .await
        .unwrap();
    assert_eq!(gap_free(&all(&*store, &stream).await), 3);
}

pub(crate) async fn a_child_names_its_parent(store: Arc<dyn Store>) {
    let parent = free_run(&*store, "parent").await;
    let child = StreamId::random();
    let new = NewStream {
        parent_run: Some(parent.clone()),
        ..new_run(&child, vec![started("child")])
    };
    store.create(new).await.unwrap();
    append_outside(&*store, &child, vec![note(1)]).await.unwrap();
    assert!(
        all(&*store, &child)
            .await
            .iter()
            .all(|event| event.parent_run.as_ref() == Some(&parent))
    );
}
