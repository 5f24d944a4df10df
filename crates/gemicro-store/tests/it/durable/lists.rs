//! Lists of runs, and finding one.

use gemicro_core::store::{NewStream, StepMark, Store, StoreError, StreamKind};
use gemicro_event::{ErrorKind, Failure, RunStatus, StreamId};
use gemicro_store::{FindStreamError, RunFilter};
use serde_json::json;

use super::World;
use crate::make::{append_outside, end, event, free_run, new_run, note, of_step, started};

pub(super) async fn lists_are_newest_first_and_in_pages(world: &World) {
    let store = world.store().await;
    let mut runs = Vec::new();
    for n in 0..7 {
        runs.push(free_run(&store, &format!("run {n}")).await);
    }
    let talk = StreamId::random();
    let new = NewStream {
        kind: StreamKind::Conversation,
        ..new_run(&talk, vec![note(1)])
    };
    store.create(new).await.unwrap();
    runs.reverse();
    let mut listed: Vec<StreamId> = Vec::new();
    loop {
        let filter = RunFilter {
            limit: Some(3),
            before: listed.last().cloned(),
            ..RunFilter::default()
        };
        let page = store.runs(&filter).await.unwrap();
        if page.is_empty() {
            break;
        }
        listed.extend(page.into_iter().map(|row| row.run));
    }
    assert_eq!(listed, runs);
}

pub(super) async fn a_line_follows_its_events(world: &World) {
    let store = world.store().await;
    let stream = free_run(&store, "what was asked").await;
    append_outside(&store, &stream, vec![of_step("ask", StepMark::Started(1))])
        .await
        .unwrap();
    append_outside(&store, &stream, vec![of_step("ask", StepMark::Ended(1))])
        .await
        .unwrap();
    let row = store.run(&stream).await.unwrap();
    assert_eq!(
        (row.flow.as_str(), row.title.as_str(), row.status),
        ("research", "what was asked", RunStatus::Running)
    );
    assert_eq!(
        (
            row.n_events,
            row.spent.tokens,
            row.spent.micro_usd,
            row.spent.turns
        ),
        (3, 7, 11, 1)
    );
    let failure = Failure::new(ErrorKind::NoEvidence, "nothing there");
    append_outside(
        &store,
        &stream,
        vec![event("run_failed", json!({ "error": failure }))],
    )
    .await
    .unwrap();
    let row = store.run(&stream).await.unwrap();
    assert_eq!(
        (row.status, row.error_kind),
        (RunStatus::Failed, Some(ErrorKind::NoEvidence))
    );
    assert!(row.ended_at.is_some());

    let other = free_run(&store, "other").await;
    append_outside(&store, &other, vec![end()]).await.unwrap();
    let failed = RunFilter {
        status: Some(RunStatus::Failed),
        ..RunFilter::default()
    };
    assert_eq!(store.runs(&failed).await.unwrap(), vec![row]);
    let research = RunFilter {
        flow: Some("research".to_owned()),
        ..RunFilter::default()
    };
    assert_eq!(store.runs(&research).await.unwrap().len(), 2);
    let none = RunFilter {
        flow: Some("batch".to_owned()),
        ..RunFilter::default()
    };
    assert_eq!(store.runs(&none).await.unwrap(), vec![]);
    let unknown = StreamId::random();
    assert_eq!(
        store.run(&unknown).await.unwrap_err(),
        StoreError::NotFound {
            stream: unknown.to_string()
        }
    );
}

pub(super) async fn a_run_is_found_by_the_beginning_of_its_id(world: &World) {
    let store = world.store().await;
    for id in ["abcd1", "abcd2", "abcd", "wxyz9", "abc"] {
        let stream = StreamId::new(id).unwrap();
        store.create(new_run(&stream, vec![started(id)])).await.unwrap();
    }
    let id = |text: &str| StreamId::new(text).unwrap();
    assert_eq!(
        store.find_run("abcd").await.unwrap(),
        id("abcd"),
        "an exact id wins"
    );
    assert_eq!(
        store.find_run("abc").await.unwrap(),
        id("abc"),
        "also a short one"
    );
    assert_eq!(store.find_run("wxyz").await.unwrap(), id("wxyz9"));
    let short = store.find_run("wxy").await.unwrap_err();
    assert_eq!(
        short,
        FindStreamError::TooShort {
            wanted: StreamKind::Run,
            prefix: "wxy".to_owned()
        }
    );
    assert_eq!(
        store.find_run("none").await.unwrap_err(),
        FindStreamError::NotFound {
            wanted: StreamKind::Run,
            prefix: "none".to_owned()
        }
    );
    assert_eq!(
        store.find_run("%' --").await.unwrap_err(),
        FindStreamError::NotFound {
            wanted: StreamKind::Run,
            prefix: "%' --".to_owned()
        }
    );
    store
        .create(new_run(&id("wxyz8"), vec![started("x")]))
        .await
        .unwrap();
    let error = store.find_run("wxyz").await.unwrap_err();
    assert_eq!(error.to_string(), "`wxyz` could be wxyz8 or wxyz9");
    assert_eq!(Failure::from(error).kind, ErrorKind::InvalidInput);
}

pub(super) async fn conversations_say_what_is_in_them(world: &World) {
    let store = world.store().await;
    free_run(&store, "no conversation").await;
    let mut talks = Vec::new();
    for n in 0..3 {
        let talk = StreamId::random();
        let events = vec![note(1), event("said", json!({})), note(n)];
        let new = NewStream {
            kind: StreamKind::Conversation,
            ..new_run(&talk, events)
        };
        store.create(new).await.unwrap();
        talks.push(talk);
    }
    store.erase(&talks[1]).await.unwrap();
    let listed = store.conversations(10).await.unwrap();
    let ids: Vec<_> = listed.iter().map(|talk| &talk.stream).collect();
    assert_eq!(ids, [&talks[2], &talks[0]]);
    let types = [("noted".to_owned(), (2, 3)), ("said".to_owned(), (1, 2))];
    assert_eq!(listed[0].types, types.into());
    assert_eq!(store.conversations(1).await.unwrap(), listed[..1]);
    assert_eq!(
        store.find_conversation(talks[0].as_str()).await.unwrap(),
        talks[0]
    );
    assert!(store.find_run(talks[0].as_str()).await.is_err());
}
