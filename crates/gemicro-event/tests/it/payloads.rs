//! Typed payloads: constructor, readers, registry; run status from events.

use gemicro_event::{
    AgentUpdate, Charge, Json, Payload, PayloadReadError, Registry, RunStatus, TERMINAL_EVENT_TYPES,
    Timestamp, Usage, event_readers, is_terminal,
};

/// A crate of its own adds these without a change below it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
struct StoneMoved {
    from: String,
    weight: u32,
}

impl Payload for StoneMoved {
    const EVENT_TYPE: &'static str = "stone_moved";

    fn message(&self) -> String {
        format!("Moved {} kg away from {}", self.weight, self.from)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
struct StoneLost {}

impl Payload for StoneLost {
    const EVENT_TYPE: &'static str = "stone_lost";

    fn message(&self) -> String {
        "Lost a stone".to_owned()
    }
}

event_readers! {
    pub trait StoneReaders {
        StoneMoved => as_stone_moved, try_as_stone_moved;
        StoneLost => as_stone_lost, try_as_stone_lost;
    }
}

fn moved() -> StoneMoved {
    StoneMoved {
        from: "the quarry".to_owned(),
        weight: 40,
    }
}

#[test]
fn a_payload_is_stated_and_read_back() {
    let update = AgentUpdate::new(&moved(), Timestamp::from_millis(1));
    let text = serde_json::to_string(&update).unwrap();
    assert_eq!(
        text,
        concat!(
            r#"{"event_type":"stone_moved","message":"Moved 40 kg away from the quarry","#,
            r#""timestamp":"1970-01-01T00:00:00.001Z","data":{"from":"the quarry","weight":40}}"#
        )
    );
    assert_eq!(serde_json::from_str::<AgentUpdate>(&text).unwrap(), update);
    assert_eq!(update.as_stone_moved(), Some(moved()));
    assert_eq!(update.as_stone_lost(), None);
    let wrong = update.try_as_stone_lost().unwrap_err();
    assert_eq!(
        wrong,
        PayloadReadError::WrongType {
            expected: "stone_lost",
            actual: "stone_moved".to_owned()
        }
    );
}

#[test]
fn new_fields_are_ignored_and_missing_ones_named() {
    let mut update = AgentUpdate::new(&moved(), Timestamp::default());
    update.data = Json::from_text(r#"{"from":"the quarry","weight":40,"colour":"grey"}"#).unwrap();
    assert_eq!(update.try_as_stone_moved(), Ok(moved()));
    update.data = Json::from_text(r#"{"from":"the quarry"}"#).unwrap();
    let Err(PayloadReadError::SchemaMismatch { event_type, message }) = update.try_as_stone_moved() else {
        panic!("a missing field must be a mismatch")
    };
    assert_eq!(event_type, "stone_moved");
    assert!(message.contains("weight"), "{message}");
}

#[test]
fn the_registry_checks_what_it_knows_and_passes_the_rest() {
    let mut registry = Registry::default();
    registry.add::<StoneMoved>();
    registry.add::<StoneMoved>();
    registry.add::<StoneLost>();
    assert_eq!(
        registry.kinds().map(|kind| kind.event_type).collect::<Vec<_>>(),
        ["stone_lost", "stone_moved"]
    );
    assert!(registry.knows("stone_moved") && !registry.knows("stone"));
    let schema = registry.kinds().nth(1).map(|kind| (kind.schema)()).unwrap();
    assert_eq!(schema["required"], serde_json::json!(["from", "weight"]));

    let mut update = AgentUpdate::new(&moved(), Timestamp::default());
    assert_eq!(registry.check(&update), Ok(()));
    update.data = Json::from_text(r#"{"weight":"heavy"}"#).unwrap();
    assert_eq!(registry.check(&update).unwrap_err().event_type, "stone_moved");
    update.event_type = "from_the_future".to_owned();
    assert_eq!(registry.check(&update), Ok(()));
}

#[test]
fn json_keeps_its_bytes_and_compares_by_them() {
    let json = Json::from_text(r#"{"b":1.10,"a":[1E5]}"#).unwrap();
    assert_eq!(json.text(), r#"{"b":1.10,"a":[1E5]}"#);
    assert_eq!(json["a"][0], 1e5);
    assert_ne!(json, Json::from_text(r#"{"b":1.1,"a":[1E5]}"#).unwrap());
    assert_eq!(Json::default().text(), "{}");
    for text in ["", "{", "1 2", "nul", "'a'", "\"\n\""] {
        assert!(Json::from_text(text).is_err(), "{text:?}");
    }
}

#[test]
fn four_kinds_of_event_end_a_run() {
    for event_type in TERMINAL_EVENT_TYPES {
        assert!(is_terminal(event_type) && RunStatus::after(event_type).unwrap().is_terminal());
    }
    for event_type in ["run_started", "run_suspended", "run_resumed"] {
        assert!(!is_terminal(event_type) && !RunStatus::after(event_type).unwrap().is_terminal());
    }
    assert_eq!(RunStatus::after("stone_moved"), None);
    assert_eq!(
        serde_json::to_value(RunStatus::Interrupted).unwrap(),
        RunStatus::Interrupted.as_str()
    );
}

#[test]
fn usage_and_charges_leave_out_zeroes_and_saturate() {
    let usage = Usage {
        input_tokens: 3,
        output_tokens: u64::MAX,
        ..Usage::default()
    };
    assert_eq!(usage.total_tokens(), u64::MAX);
    let text = serde_json::to_string(&Usage {
        output_tokens: 4,
        ..usage
    })
    .unwrap();
    assert_eq!(text, r#"{"input_tokens":3,"output_tokens":4}"#);
    assert_eq!(serde_json::from_str::<Charge>("{}").unwrap(), Charge::ZERO);
    let most = Charge {
        tokens: u64::MAX,
        micro_usd: 1,
        turns: 0,
        ..Charge::ZERO
    };
    assert_eq!(most.plus(most).tokens, u64::MAX);
    assert_eq!(Charge::ZERO.minus(most), Charge::ZERO);
}
