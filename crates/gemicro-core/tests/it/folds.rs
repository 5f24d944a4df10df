//! Folds: twice is once, duplicates change nothing, the unknown is passed over and survives byte-equal.

use std::sync::OnceLock;

use gemicro_core::flow::Flow;
use gemicro_core::llm::scripted::Part;
use gemicro_core::research::ResearchFlow;
use gemicro_core::run::{RunRow, RunState};
use gemicro_core::store::{Append, MemoryStore, NewEvent, NewStream, Store, StreamKind, Writer};
use gemicro_event::{Event, Json, read_line, write_line};
use proptest::prelude::{Just, Strategy, any, proptest};
use proptest::prop_assert_eq;

use crate::support::{Death, ProbeStore, ResearchSetup, expire_lease, journal};

/// Journals of runs with every turn: calm, killed and resumed, out of budget, without evidence, offline.
fn journals() -> &'static [Vec<Event>] {
    static JOURNALS: OnceLock<Vec<Vec<Event>>> = OnceLock::new();
    JOURNALS.get_or_init(|| {
        // A thread of its own: the caller may be inside a runtime.
        let made = std::thread::spawn(|| {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .expect("a runtime");
            runtime.block_on(async {
                let mut tight = ResearchSetup::new(Part::Spender);
                tight.limits.tokens = Some(tight.plan.minimum().tokens * 3);
                let quick = |part| ResearchSetup::new(part).edit_llm(|llm| llm.max_attempts = 1);
                vec![
                    ResearchSetup::new(Part::Perfect).events().await,
                    killed_and_resumed(5).await,
                    killed_and_resumed(9).await,
                    tight.events().await,
                    quick(Part::Liar).events().await,
                    quick(Part::Garbage).events().await,
                    ResearchSetup::new(Part::Perfect)
                        .offline("When did the Lantern Bridge open?")
                        .events()
                        .await,
                ]
            })
        });
        made.join().expect("no panic")
    })
}

async fn killed_and_resumed(k: usize) -> Vec<Event> {
    let setup = ResearchSetup::new(Part::Perfect);
    let first = ProbeStore::over(MemoryStore::new(), Death::After(k));
    let (id, _) = setup.run(&first).await;
    expire_lease(&first, &id).await;
    let second = ProbeStore::over(first.inner.clone(), Death::Never);
    // Killed after its last append, it has ended already.
    let _ = setup.resume(&second, &id).await;
    journal(&second, &id).await
}

/// A journal and how much of it has happened.
fn prefix() -> impl Strategy<Value = (&'static [Event], usize)> {
    let journals = journals();
    (0..journals.len())
        .prop_flat_map(move |idx| (Just(&journals[idx][..]), 1..=journals[idx].len()))
        .prop_map(|(events, len)| (&events[..len], len))
}

fn run_state(events: &[Event]) -> RunState {
    let mut state = RunState::start(&events[0]).expect("run_started");
    events.iter().for_each(|event| state.fold(event));
    state
}

fn run_row(events: &[Event]) -> RunRow {
    let mut row = RunRow::new(events[0].stream.clone(), None);
    events.iter().for_each(|event| row.fold(event));
    row
}

/// What the research flow decides after these events, as text.
fn decision(events: &[Event]) -> String {
    let run = run_state(events);
    let mut state = ResearchFlow.start(&run.started.plan).expect("a plan");
    events
        .iter()
        .for_each(|event| ResearchFlow.fold(&mut state, event));
    format!("{:?}", ResearchFlow.decide(&state, &run))
}

proptest! {
    #![proptest_config(proptest::test_runner::Config::with_cases(200))]

    /// J5: a prefix folded twice equals the prefix folded once.
    #[test]
    fn folding_twice_equals_folding_once((events, _) in prefix()) {
        let twice: Vec<Event> = events.iter().chain(events).cloned().collect();
        prop_assert_eq!(format!("{:?}", run_state(&twice)), format!("{:?}", run_state(events)));
        prop_assert_eq!(run_row(&twice), run_row(events));
        prop_assert_eq!(decision(&twice), decision(events));
    }

    /// J5: a duplicate at any later place is a no-op.
    #[test]
    fn duplicates_anywhere_change_nothing((events, len) in prefix(), picks in proptest::collection::vec((any::<u16>(), any::<u16>()), 0..20)) {
        let mut disturbed: Vec<Event> = events.to_vec();
        for (which, place) in picks {
            let event = events[usize::from(which) % len].clone();
            let first = disturbed.iter().position(|it| it.seq == event.seq).unwrap_or(0);
            let place = first + 1 + usize::from(place) % (disturbed.len() - first);
            disturbed.insert(place, event);
        }
        prop_assert_eq!(format!("{:?}", run_state(&disturbed)), format!("{:?}", run_state(events)));
        prop_assert_eq!(run_row(&disturbed), run_row(events));
    }

    /// Deciding is a function of the events alone, however they were cut into pages.
    #[test]
    fn deciding_twice_is_the_same((events, _) in prefix()) {
        prop_assert_eq!(decision(events), decision(events));
    }

    /// J2: unknown kinds and fields change no decision.
    #[test]
    fn the_unknown_is_passed_over((events, _) in prefix(), places in proptest::collection::vec(any::<u16>(), 0..10)) {
        let mut disturbed: Vec<Event> = events.iter().cloned().map(with_unknown_fields).collect();
        for place in places {
            let place = 1 + usize::from(place) % disturbed.len();
            let mut unknown = disturbed[place - 1].clone();
            unknown.update.event_type = "tea_made.v7".to_owned();
            disturbed.insert(place, unknown);
        }
        for (idx, event) in disturbed.iter_mut().enumerate() {
            event.seq = idx as u64 + 1;
        }
        prop_assert_eq!(decision(&disturbed), decision(events));
        let (ours, theirs) = (run_row(&disturbed), run_row(events));
        prop_assert_eq!((ours.status, ours.spent, ours.title), (theirs.status, theirs.spent, theirs.title));
    }
}

#[test]
fn every_kind_folded_twice_in_a_row_changes_nothing() {
    let lines = include_str!("golden/event_kinds.jsonl").lines();
    let once: Vec<Event> = lines.map(|line| read_line(line).expect("an event")).collect();
    for len in 1..=once.len() {
        let doubled: Vec<Event> = once[..len]
            .iter()
            .flat_map(|event| [event.clone(), event.clone()])
            .collect();
        assert_eq!(
            format!("{:?}", run_state(&doubled)),
            format!("{:?}", run_state(&once[..len]))
        );
        assert_eq!(run_row(&doubled), run_row(&once[..len]));
    }
}

fn with_unknown_fields(mut event: Event) -> Event {
    let text = event.update.data.text();
    if text.starts_with("{\"") && event.update.event_type != "run_started" {
        let odd = format!("{{\"zz_new\":[1.50,{{\"x\":1E2}}],{}", &text[1..]);
        event.update.data = Json::from_text(&odd).expect("still JSON");
    }
    event.extra.push((
        "tenant".to_owned(),
        Json::from_text("{\"b\":1.0,\"a\":\"\\u00e9\"}").expect("JSON"),
    ));
    event
}

#[tokio::test]
async fn what_no_one_knows_survives_the_store_byte_equal() {
    let lines = [
        r#"{"stream":"r","seq":1,"event_type":"tea_made.v7","message":"Tea","timestamp":"2026-11-15T09:30:00.000Z","data":{"z":1.0,"a":1e-7,"big":12345678901234567890123,"t":"\u00e9\/","n":null},"step":"s","trace":"00-ab-cd-01","tenant":{"b":1.50,"a":[ ]},"hop":"x"}"#,
        r#"{"stream":"r","seq":2,"event_type":"step_completed","message":"odd","timestamp":"2026-11-15T09:30:00.001Z","data":{"step":"s","attempt":1,"output":{"k": 1},"later_field":-0.0},"colour":"red"}"#,
        r#"{"stream":"r","seq":3,"event_type":"","message":"","timestamp":"2026-11-15T09:30:00.002Z","data":[[],{}," "]}"#,
    ];
    let events: Vec<Event> = lines
        .iter()
        .map(|line| read_line(line).expect("an event"))
        .collect();
    let store = MemoryStore::new();
    let stream = events[0].stream.clone();
    let new = |event: &Event| NewEvent {
        update: event.update.clone(),
        step: event.step.clone(),
        mark: None,
        trace: event.trace.clone(),
        extra: event.extra.clone(),
    };
    let first = vec![new(&events[0])];
    let create = NewStream {
        stream: stream.clone(),
        kind: StreamKind::Run,
        parent_run: None,
        events: first,
        lease: None,
        board: Vec::new(),
    };
    store.create(create).await.expect("created");
    let rest = events[1..].iter().map(new).collect();
    store
        .append(Append {
            stream: stream.clone(),
            writer: Writer::Outside,
            events: rest,
            board: Vec::new(),
        })
        .await
        .expect("appended");
    let read = store.read(&stream, 0, 10).await.expect("there").events;
    let mut written = Vec::new();
    read.iter()
        .for_each(|event| write_line(&mut written, event).expect("written"));
    assert_eq!(
        String::from_utf8(written).expect("text"),
        format!("{}\n", lines.join("\n"))
    );
}
