//! The events of a batch on the wire.

use gemicro_batch::contract::{ItemQuestion, ItemState};
use gemicro_batch::flow::{
    BatchItemAnswered, BatchItemAsks, BatchItemCompleted, BatchItemFailed, BatchItemStarted,
    BatchItemsCancelled, BatchItemsRetried, register,
};
use gemicro_event::{AgentUpdate, ErrorKind, Failure, Json, Payload, Registry, StreamId, Timestamp};
use serde_json::json;

fn line<P: Payload>(payload: &P) -> String {
    serde_json::to_string(&AgentUpdate::new(payload, Timestamp::from_millis(0))).unwrap()
}

#[test]
fn every_kind_has_its_golden_line() {
    let task_id = || "a".to_owned();
    let lines = [
        line(&BatchItemStarted {
            task_id: task_id(),
            epoch: 0,
            task_type: "execute_shell_command".to_owned(),
            description: Some("List files".to_owned()),
        }),
        line(&BatchItemStarted {
            task_id: task_id(),
            epoch: 1,
            task_type: "prompt".to_owned(),
            description: None,
        }),
        line(&BatchItemCompleted {
            task_id: task_id(),
            epoch: 0,
            output: Json::from(json!({ "text": "x" })),
        }),
        line(&BatchItemFailed {
            task_id: task_id(),
            epoch: 0,
            state: ItemState::Expired,
            error: Failure::new(ErrorKind::Timeout, "its deadline of 10 s passed"),
        }),
        line(&BatchItemAsks {
            question: ItemQuestion {
                run_id: StreamId::new("r").unwrap(),
                key: "plan.1:human".to_owned(),
                text: "Shall it begin?".to_owned(),
            },
        }),
        line(&BatchItemAnswered {
            run_id: StreamId::new("r").unwrap(),
            key: "plan.1:human".to_owned(),
        }),
        line(&BatchItemsCancelled {
            task_ids: vec![task_id()],
            reason: "not needed".to_owned(),
        }),
        line(&BatchItemsRetried {
            task_ids: vec![task_id(), "b".to_owned()],
        }),
    ];
    assert_eq!(lines.join("\n") + "\n", include_str!("golden/events.jsonl"));
}

#[test]
fn every_kind_is_registered() {
    let mut registry = Registry::default();
    register(&mut registry);
    let kinds: Vec<&str> = registry.kinds().map(|kind| kind.event_type).collect();
    let expected = [
        "batch_item_answered",
        "batch_item_asks",
        "batch_item_completed",
        "batch_item_failed",
        "batch_item_started",
        "batch_items_cancelled",
        "batch_items_retried",
    ];
    assert_eq!(kinds, expected);
    for text in include_str!("golden/events.jsonl").lines() {
        registry.check(&serde_json::from_str(text).unwrap()).unwrap();
    }
}
