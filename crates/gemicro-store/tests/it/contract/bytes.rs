//! What goes in comes out, to the byte.

use std::sync::Arc;

use gemicro_core::store::{NewEvent, Store};
use gemicro_event::{AgentUpdate, Json, StepKey, StreamId, Timestamp};
use proptest::prelude::{Just, Strategy, any, prop, prop_oneof};
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use crate::make::{all, append_outside, free_run, new_run};

/// JSON text with odd but legal spelling.
fn json_text() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("1.0e+05".to_owned()),
        Just("-0.10".to_owned()),
        Just("123456789012345678901234567890".to_owned()),
        Just(r#""é\u0000\n""#.to_owned()),
        any::<String>().prop_map(|text| serde_json::to_string(&text).unwrap()),
        any::<i64>().prop_map(|number| number.to_string()),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|items| format!("[ {}]", items.join(" ,"))),
            prop::collection::vec(("[a-z]{0,4}", inner), 0..4).prop_map(|fields| {
                let fields: Vec<_> = fields
                    .iter()
                    .map(|(key, value)| format!(r#""{key}" :{value}"#))
                    .collect();
                format!("{{{}}}", fields.join(",  "))
            }),
        ]
    })
}

fn new_event() -> impl Strategy<Value = NewEvent> {
    let json = || json_text().prop_map(|text| Json::from_text(&text).unwrap());
    let parts = (
        "[a-z_]{1,20}",
        any::<String>(),
        json(),
        any::<Option<String>>(),
        any::<Option<String>>(),
        prop::collection::vec(("x-[a-z]{0,3}", json()), 0..3),
        any::<i64>(),
    );
    parts.prop_map(|(event_type, message, data, step, trace, extra, at)| NewEvent {
        update: AgentUpdate {
            event_type,
            message,
            timestamp: Timestamp::from_millis(at),
            data,
        },
        step: step.map(StepKey::new),
        mark: None,
        trace,
        extra,
    })
}

pub(crate) async fn any_data_comes_back_byte_equal(store: Arc<dyn Store>) {
    let mut runner = TestRunner::default();
    let events: Vec<NewEvent> = (0..256)
        .map(|_| new_event().new_tree(&mut runner).unwrap().current())
        .collect();
    let stream = StreamId::random();
    store.create(new_run(&stream, Vec::new())).await.unwrap();
    let mut answered = Vec::new();
    for chunk in events.chunks(9) {
        answered.extend(
            append_outside(&*store, &stream, chunk.to_vec())
                .await
                .unwrap()
                .events,
        );
    }
    let read = all(&*store, &stream).await;
    assert_eq!(read, answered);
    for (new, event) in events.iter().zip(&read) {
        assert_eq!(
            (&event.update, &event.step, &event.trace),
            (&new.update, &new.step, &new.trace)
        );
        assert_eq!(event.update.data.text(), new.update.data.text());
        assert_eq!(event.extra, new.extra);
    }
}

pub(crate) async fn large_data_comes_back_byte_equal(store: Arc<dyn Store>) {
    let stream = free_run(&*store, "large").await;
    let sizes = [16 * 1024 - 2, 16 * 1024 - 1, 100_000, 3_000_000, 100_000];
    let texts: Vec<String> = sizes
        .iter()
        .map(|size| format!(r#""{}""#, "ä".repeat(size / 2)))
        .collect();
    for text in &texts {
        let mut event = crate::make::note(0);
        event.update.data = Json::from_text(text).unwrap();
        append_outside(&*store, &stream, vec![event]).await.unwrap();
    }
    let read = all(&*store, &stream).await;
    assert!(
        read.iter()
            .skip(1)
            .map(|event| event.update.data.text())
            .eq(texts.iter().map(String::as_str))
    );
}
