//! Ids: what is one and what is not.

use std::collections::HashSet;

use gemicro_event::{CommandId, StepKey, StreamId};

#[test]
fn ids_are_taken_or_refused() {
    let longest = "x".repeat(64);
    for text in ["a", "A-b_9", "0", "-", "_", "run-2026", longest.as_str()] {
        assert_eq!(StreamId::new(text).unwrap().as_str(), text);
        assert_eq!(CommandId::try_from(text.to_owned()).unwrap().to_string(), text);
    }
    let too_long = "x".repeat(65);
    for text in [
        "",
        " ",
        "a b",
        "a/b",
        "../x",
        "a.b",
        "é",
        "a\n",
        "a\0",
        "%41",
        too_long.as_str(),
    ] {
        assert!(StreamId::new(text).is_err(), "{text:?}");
        assert!(CommandId::try_from(text.to_owned()).is_err(), "{text:?}");
        let json = serde_json::to_string(text).unwrap();
        assert!(serde_json::from_str::<StreamId>(&json).is_err(), "{text:?}");
    }
    let huge = StreamId::new("?".repeat(100_000)).unwrap_err();
    assert!(huge.to_string().len() < 200);
}

#[test]
fn new_ids_are_ids_and_differ() {
    let ids: HashSet<_> = (0..1000).map(|_| StreamId::random()).collect();
    assert_eq!(ids.len(), 1000);
    for id in ids {
        assert_eq!(id.as_str().len(), 16);
        assert_eq!(StreamId::new(id.as_str()).unwrap(), id);
    }
    assert_ne!(CommandId::random(), CommandId::random());
}

#[test]
fn step_keys_are_any_label() {
    for label in ["", "answer/1#2", "mit Leerzeichen\n", "日本"] {
        let json = serde_json::to_string(&StepKey::new(label)).unwrap();
        assert_eq!(serde_json::from_str::<StepKey>(&json).unwrap().as_str(), label);
    }
}
