//! Replays of events into the views.

use gemicro_core::research::events::{FinalResult, ResultMetadata};
use gemicro_event::{AgentUpdate, ErrorKind, Event, Payload, SCHEMA_VERSION, StreamId, Timestamp};

use super::answer::stats_line;
use super::{RunEnd, event_line, failure_json, result_json};

fn event<P: Payload>(payload: &P) -> Event {
    Event {
        stream: StreamId::new("run1").unwrap(),
        seq: 7,
        schema_version: SCHEMA_VERSION,
        update: AgentUpdate::new(payload, Timestamp::from_millis(1_000)),
        step: None,
        parent_run: None,
        trace: None,
        extra: Vec::new(),
    }
}

fn result() -> FinalResult {
    FinalResult {
        answer: "An answer [1].".to_owned(),
        metadata: ResultMetadata {
            total_tokens: 0,
            duration_ms: 5,
            sub_queries_succeeded: 1,
            sub_queries_failed: 0,
            micro_usd: 0,
            unpriced: false,
            ..ResultMetadata::default()
        },
        citations: Vec::new(),
        contradictions: Vec::new(),
        unanswered: Vec::new(),
        related: Vec::new(),
        without_model: Vec::new(),
        partial: None,
    }
}

#[test]
fn the_result_begins_with_its_run() {
    let event = event(&result());
    let json = result_json(&event.stream, &event.update.data).to_string();
    assert!(
        json.starts_with(r#"{"run":"run1","answer":"An answer [1].","metadata":{"total_tokens":0,"#),
        "{json}"
    );
}

#[test]
fn a_failure_is_one_object_with_a_hint_that_names_the_run() {
    let run = StreamId::new("run1").unwrap();
    let json = failure_json(&RunEnd::Suspended(ErrorKind::Interrupted).error_report(&run)).to_string();
    assert_eq!(
        json,
        r#"{"run":"run1","error_kind":"interrupted","error":"run run1 is suspended","hint":"continue with `gemicro resume run1`"}"#
    );
}

#[test]
fn lines_of_events_cannot_be_forged() {
    let mut event = event(&result());
    event.update.message = "one\n\x1b[31mtwo".to_owned();
    assert_eq!(
        event_line(&event),
        "    7 00:00:01.000 final_result             one ␛[31mtwo"
    );
}

#[test]
fn tokens_of_a_call_that_was_cut_off_are_an_upper_bound() {
    let mut metadata = result().metadata;
    metadata.total_tokens = 1_247;
    assert!(stats_line(&metadata).contains("| 1,247 total tokens |"));
    metadata.uncertain.tokens = 900;
    assert!(stats_line(&metadata).contains("| up to 1,247 total tokens |"));
}
