//! Events as lines: golden shape, byte-equal pass-through, no forged lines.

use gemicro_event::{
    AgentUpdate, Event, Json, SCHEMA_VERSION, StepKey, StreamId, Timestamp, read_line, read_lines, write_line,
};
use proptest::prelude::*;

/// Every envelope field, two of them from a newer writer.
const GOLDEN: &str = concat!(
    r#"{"stream":"run1","seq":7,"schema_version":3,"event_type":"sub_query_completed","message":"Answered \"why\"\n","#,
    r#""timestamp":"2026-11-15T09:30:00.125Z","data":{"id":1,"price":1.10},"step":"answer/1","parent_run":"parent-1","#,
    r#""trace":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01","colour":"r\u00e9d\/","extent":[1E5, 2]}"#
);

fn golden() -> Event {
    Event {
        stream: StreamId::new("run1").expect("the golden values are valid"),
        seq: 7,
        schema_version: 3,
        update: AgentUpdate {
            event_type: "sub_query_completed".to_owned(),
            message: "Answered \"why\"\n".to_owned(),
            timestamp: "2026-11-15T09:30:00.125Z"
                .parse()
                .expect("the golden values are valid"),
            data: Json::from_text(r#"{"id":1,"price":1.10}"#).expect("the golden values are valid"),
        },
        step: Some(StepKey::new("answer/1")),
        parent_run: Some(StreamId::new("parent-1").expect("the golden values are valid")),
        trace: Some("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01".to_owned()),
        extra: vec![
            (
                "colour".to_owned(),
                Json::from_text(r#""r\u00e9d\/""#).expect("the golden values are valid"),
            ),
            (
                "extent".to_owned(),
                Json::from_text("[1E5, 2]").expect("the golden values are valid"),
            ),
        ],
    }
}

fn written(event: &Event) -> String {
    let mut line = Vec::new();
    write_line(&mut line, event).expect("a vector takes everything");
    String::from_utf8(line).expect("JSON is UTF-8")
}

#[test]
fn the_line_of_an_event() {
    assert_eq!(written(&golden()), format!("{GOLDEN}\n"));
    assert_eq!(read_line(GOLDEN).unwrap(), golden());
}

#[test]
fn the_shortest_line() {
    let line = r#"{"stream":"r","seq":1,"event_type":"x","message":"","timestamp":"1970-01-01T00:00:00.000Z","data":{}}"#;
    let event = read_line(line).unwrap();
    assert_eq!(
        (event.schema_version, event.step.as_ref(), event.extra.len()),
        (SCHEMA_VERSION, None, 0)
    );
    assert_eq!(written(&event), format!("{line}\n"));
}

#[test]
fn what_is_no_event_is_refused_by_name() {
    for field in ["stream", "seq", "event_type", "message", "timestamp", "data"] {
        let mut value: serde_json::Map<_, _> = serde_json::from_str(GOLDEN).unwrap();
        value.shift_remove(field);
        let error = read_line(&serde_json::to_string(&value).unwrap())
            .unwrap_err()
            .to_string();
        assert!(error.contains(field), "{error}");
    }
    for text in [
        "",
        "{}",
        "[]",
        "null",
        "{",
        &GOLDEN[..GOLDEN.len() - 1],
        &format!("{GOLDEN}{GOLDEN}"),
    ] {
        assert!(read_line(text).is_err(), "{text}");
    }
}

#[test]
fn lines_are_counted_and_bad_ones_do_not_stop_the_rest() {
    let text = format!("{GOLDEN}\n\nnot json\n  \n{GOLDEN}");
    let read: Vec<_> = read_lines(text.as_bytes()).collect();
    assert_eq!(read.len(), 3);
    assert!(read[0].is_ok() && read[2].is_ok());
    let message = read[1].as_ref().unwrap_err().to_string();
    assert!(message.starts_with("line 3 is not an event: "), "{message}");
    assert!(
        message.ends_with(')') && message.contains(" (column "),
        "{message}"
    );
    assert!(!message.contains("line 1"), "{message}");
}

#[test]
fn very_deep_data_passes_through() {
    let deep = format!("{}{}", "[".repeat(5000), "]".repeat(5000));
    let line = GOLDEN.replace(r#"{"id":1,"price":1.10}"#, &deep);
    assert_eq!(written(&read_line(&line).unwrap()), format!("{line}\n"));
}

#[test]
fn data_over_several_lines_becomes_one() {
    let data = Json::from_text("{\n  \"a\": 1,\r\n  \"b\": \"x\\ny\"\n}").unwrap();
    assert_eq!(data.text(), "{   \"a\": 1,    \"b\": \"x\\ny\" }");
    assert_eq!(data["b"], "x\ny");
}

/// JSON text as other programs write it, not as ours would.
fn json_text() -> impl Strategy<Value = String> {
    let number = proptest::sample::select(vec![
        "0",
        "-0",
        "1.10",
        "1E5",
        "1e-07",
        "0.0",
        "-1.5E+300",
        "123456789012345678901234567890",
        "1e999",
    ]);
    let piece = proptest::sample::select(vec![
        "\\u00e9",
        "\\u00E9",
        "\\/",
        "/",
        "\\n",
        "\\u001b",
        "\\\"",
        "\\\\",
        "\\ud83d\\ude00",
        "é",
        "😀",
        "a",
        " ",
        "\u{2028}",
        "\u{7f}",
    ]);
    let string = proptest::collection::vec(piece, 0..6).prop_map(|pieces| format!("\"{}\"", pieces.concat()));
    let leaf = prop_oneof![
        number.prop_map(str::to_owned),
        string.clone(),
        proptest::sample::select(vec!["true", "false", "null", "{}", "[]", "[ ]"]).prop_map(str::to_owned),
    ];
    leaf.prop_recursive(5, 40, 4, move |inner| {
        let key = prop_oneof![Just("\"same\"".to_owned()), string.clone()];
        let blank = proptest::sample::select(vec!["", " ", "\t", "  "]);
        prop_oneof![
            (proptest::collection::vec(inner.clone(), 0..4), blank.clone())
                .prop_map(|(items, blank)| format!("[{blank}{}{blank}]", items.join(","))),
            (proptest::collection::vec((key, inner), 0..4), blank).prop_map(|(pairs, blank)| {
                let fields: Vec<_> = pairs
                    .iter()
                    .map(|(key, value)| format!("{key}{blank}:{value}"))
                    .collect();
                format!("{{{}{blank}}}", fields.join(", "))
            }),
        ]
    })
}

proptest! {
    #[test]
    fn unknown_types_and_fields_survive_byte_for_byte(
        event_type in "[a-z_]{1,20}(\\.v[0-9])?",
        data in json_text(),
        extra in proptest::collection::btree_map("x_[a-z]{1,8}", json_text(), 0..4),
    ) {
        let fields: String = extra.iter().map(|(key, value)| format!(",\"{key}\":{value}")).collect();
        let line = format!(
            "{{\"stream\":\"r\",\"seq\":1,\"event_type\":\"{event_type}\",\"message\":\"m\",\
             \"timestamp\":\"2026-11-15T09:30:00.000Z\",\"data\":{data}{fields}}}"
        );
        let event = read_line(&line).unwrap();
        prop_assert_eq!(event.update.data.text(), data.as_str());
        prop_assert_eq!(written(&event), format!("{line}\n"));
    }

    #[test]
    fn no_text_forges_a_line(texts in proptest::collection::vec(hostile(), 6), seq in any::<u64>()) {
        let [event_type, message, step, trace, key, value] = &texts[..] else { unreachable!("six were asked for") };
        let event = Event {
            stream: StreamId::new("r").unwrap(),
            seq,
            schema_version: SCHEMA_VERSION,
            update: AgentUpdate {
                event_type: event_type.clone(),
                message: message.clone(),
                timestamp: Timestamp::default(),
                data: Json::of(&[(key, value)]).unwrap(),
            },
            step: Some(StepKey::new(step.clone())),
            parent_run: None,
            trace: Some(trace.clone()),
            extra: vec![(format!("x_{key}"), Json::of(value).unwrap())],
        };
        let line = written(&event);
        prop_assert!(line.ends_with('\n'));
        prop_assert!(!line[..line.len() - 1].bytes().any(|byte| byte < 0x20), "{line:?}");
        let read: Vec<_> = read_lines(line.as_bytes()).collect::<Result<_, _>>().unwrap();
        prop_assert_eq!(read, vec![event]);
    }
}

fn hostile() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        Just(format!("x\n{GOLDEN}\n")),
        Just("\r\n\u{1b}[2J\u{7}\0\u{8}\u{b}\u{c}".to_owned()),
        Just("\",\"seq\":1,\"x\":\"".to_owned()),
        Just("\u{2028}\u{2029}\u{85}\u{9b}31m".to_owned()),
    ]
}
