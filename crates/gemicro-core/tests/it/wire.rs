//! One example line of every event kind that core emits; the file is the wire, and old lines must read.

use std::collections::BTreeSet;

use gemicro_core::blob::BlobId;
use gemicro_core::budget::{Limits, Purpose};
use gemicro_core::corpus::SkippedSource;
use gemicro_core::research::events::{
    ClaimSpan, DecompositionComplete, DecompositionStarted, FinalResult, FoundSpan, ResultMetadata,
    SourceFetched, SourceNotFetched, SourcesRead, SubQueryCompleted, SubQueryFailed, SubQueryStarted,
    SynthesisStarted,
};
use gemicro_core::research::{
    AnsweredWithoutModel, Citation, CitedContradiction, ContradictionSide, Grade, UnansweredQuestion,
};
use gemicro_core::run::events::{
    AnswerGiven, AnswerRequested, BudgetAdjusted, BudgetWarning, CancelRequested, DeadlinePassed, EventGap,
    RunCancelled, RunFailed, RunInterrupted, RunParked, RunResumed, RunStarted, RunSuspended, RunWoken,
    StepAlarm, StepCompleted, StepFailed, StepHandle, StepLost, StepParked, StepRetrying, StepStarted,
    TimerFired,
};
use gemicro_event::{
    AgentUpdate, Charge, CommandId, ErrorKind, Event, Failure, Json, Payload, Registry, SCHEMA_VERSION,
    StepKey, StreamId, Timestamp, Uncertain, UnpricedTokens, Usage, read_line, write_line,
};

use crate::golden_events::check_golden;

fn registry() -> Registry {
    let mut registry = Registry::default();
    gemicro_core::run::events::register(&mut registry);
    gemicro_core::research::events::register(&mut registry);
    registry
}

fn at() -> Timestamp {
    Timestamp::from_millis(1_763_200_000_000)
}

fn key() -> StepKey {
    StepKey::new("sub-query 1")
}

fn json(text: &str) -> Json {
    Json::from_text(text).expect("JSON")
}

fn failure() -> Failure {
    let detail = Some(json(r#"{"status":429}"#));
    Failure {
        detail,
        retry_after_ms: Some(1_500),
        ..Failure::new(ErrorKind::RateLimited, "too many requests")
    }
}

fn charge() -> Charge {
    Charge {
        tokens: 120,
        micro_usd: 45,
        turns: 1,
        ..Charge::ZERO
    }
}

fn citation() -> Citation {
    Citation {
        number: 1,
        doc: "bridge.md".to_owned(),
        span: "It opened in 1931.".to_owned(),
        range: 10..28,
        title: "Bridge".to_owned(),
        date: Some("2026-01-31".to_owned()),
        grade: Grade::Verified,
        claim: None,
    }
}

fn contradiction() -> CitedContradiction {
    let side = |doc: &str, value: &str, date: Option<&str>| ContradictionSide {
        doc: doc.to_owned(),
        span: format!("It opened in {value}."),
        value: value.to_owned(),
        date: date.map(str::to_owned),
    };
    CitedContradiction {
        sides: vec![
            side("bridge.md", "1931", Some("2026-01-31")),
            side("old.md", "1930", None),
        ],
    }
}

/// One of each, in the order of a run.
fn examples() -> Vec<AgentUpdate> {
    fn fact<P: Payload>(payload: P) -> AgentUpdate {
        AgentUpdate::new(&payload, at())
    }
    let command_id = CommandId::try_from("c0mmand".to_owned()).expect("an id");
    let step = key();
    vec![
        fact(RunStarted {
            flow: "research".to_owned(),
            flow_version: 1,
            program: "gemicro 0.1.0".to_owned(),
            title: "When did it open?".to_owned(),
            plan: json(r#"{"question":"When did it open?"}"#),
            limits: Limits {
                tokens: Some(50_000),
                micro_usd: Some(500_000),
                wall_ms: Some(600_000),
                turns: Some(9),
            },
            held_back: charge(),
            held_back_ms: 60_000,
            resident: false,
            credential_fingerprint: None,
            resubmits: false,
            part_of_parent: false,
            day: None,
        }),
        fact(StepStarted {
            step: step.clone(),
            kind: "llm".to_owned(),
            attempt: 2,
            input: json(r#"{"prompt":"…"}"#),
            reserved: charge(),
            purpose: Purpose::Ordinary,
        }),
        fact(StepHandle {
            step: step.clone(),
            attempt: 2,
            handle: json(r#"{"interaction":"abc"}"#),
        }),
        fact(StepAlarm {
            step: step.clone(),
            attempt: 2,
            message: "the status `paused` is new".to_owned(),
        }),
        fact(StepParked {
            step: step.clone(),
            attempt: 2,
            error: failure(),
            charge: charge(),
            until: Timestamp::default(),
        }),
        fact(RunParked {
            until: Timestamp::default(),
            kind: "llm".to_owned(),
            reason: "the limit is reached".to_owned(),
        }),
        fact(RunWoken {}),
        fact(StepCompleted {
            step: step.clone(),
            attempt: 2,
            output: json(r#"{"text":"It opened in 1931."}"#),
            charge: charge(),
            usage: Some(Usage {
                input_tokens: 100,
                output_tokens: 20,
                cached_tokens: 5,
                thought_tokens: 3,
                tool_tokens: 0,
                estimated: true,
            }),
        }),
        fact(StepRetrying {
            step: step.clone(),
            attempt: 1,
            error: failure(),
            charge: charge(),
            retry_at: at(),
        }),
        fact(StepFailed {
            step: step.clone(),
            attempt: 3,
            error: failure(),
            charge: charge(),
        }),
        fact(StepLost {
            step,
            attempt: 1,
            charge: charge(),
            kept: false,
        }),
        fact(BudgetWarning {
            used_percent: 83,
            spent: charge(),
        }),
        fact(BudgetAdjusted {
            command_id: CommandId::try_from("c0mmand".to_owned()).expect("an id"),
            limits: Limits::default(),
        }),
        fact(TimerFired {
            key: "pause".to_owned(),
        }),
        fact(DeadlinePassed { over: false }),
        fact(CancelRequested {
            command_id,
            reason: "enough".to_owned(),
        }),
        fact(AnswerRequested {
            tool: None,
            what: None,
            key: "plan".to_owned(),
        }),
        fact(AnswerGiven {
            key: "plan".to_owned(),
            answer: json(r#"{"approve":true}"#),
            by: Some("ada".to_owned()),
        }),
        fact(RunSuspended {
            reason: "stopped on request".to_owned(),
            stopped_at: at(),
            cut_off: false,
        }),
        fact(RunResumed {
            program: "gemicro 0.1.0".to_owned(),
        }),
        fact(SourcesRead {
            n_documents: 2,
            n_bytes: 1_024,
            pack: "aa".repeat(32),
            ledger: "bb".repeat(32),
            skipped: vec![SkippedSource {
                path: "x.bin".to_owned(),
                reason: "binary".to_owned(),
            }],
            n_skipped: 3,
        }),
        fact(DecompositionStarted {}),
        fact(DecompositionComplete {
            sub_queries: vec!["When?".to_owned(), "Why?".to_owned()],
            note: Some("the model gave no sub-queries".to_owned()),
        }),
        fact(SubQueryStarted {
            id: 0,
            query: "When?".to_owned(),
        }),
        fact(SubQueryCompleted {
            id: 0,
            result: "It opened in 1931 [1].".to_owned(),
            tokens_used: 120,
            citations: vec![citation()],
            contradictions: vec![contradiction()],
            n_removed: 1,
            n_replaced: 1,
            related: Vec::new(),
            without_model: Some("its answer had no verified quote".to_owned()),
        }),
        fact(SubQueryFailed {
            id: 1,
            error: "no evidence".to_owned(),
            error_kind: ErrorKind::NoEvidence,
            related: Vec::new(),
        }),
        fact(SourceFetched {
            asked: "https://a.example/1".to_owned(),
            url: "https://a.example/one".to_owned(),
            title: "One".to_owned(),
            date: Some("2026-01-31".to_owned()),
            sha256: "c".repeat(64),
            n_bytes: 2_048,
            blob: BlobId::of(b"page"),
            spans: vec![ClaimSpan {
                claim: "It opened in 1931".to_owned(),
                found: Some(FoundSpan {
                    text: "It opened in 1931.".to_owned(),
                    range: 10..28,
                }),
            }],
        }),
        fact(SourceNotFetched {
            url: "https://10.0.0.1/".to_owned(),
            error: "the address is private".to_owned(),
            error_kind: ErrorKind::PermissionDenied,
        }),
        fact(SynthesisStarted {}),
        fact(FinalResult {
            answer: "It opened in 1931 [1].".to_owned(),
            metadata: ResultMetadata {
                total_tokens: 120,
                duration_ms: 1_234,
                sub_queries_succeeded: 1,
                sub_queries_failed: 1,
                micro_usd: 45,
                unpriced: false,
                unpriced_models: UnpricedTokens::default(),
                uncertain: Uncertain::default(),
            },
            citations: vec![citation()],
            contradictions: vec![contradiction()],
            unanswered: vec![UnansweredQuestion {
                query: "Why?".to_owned(),
                reason: "no evidence".to_owned(),
            }],
            related: Vec::new(),
            without_model: vec![AnsweredWithoutModel {
                query: "When?".to_owned(),
                reason: "its answer had no verified quote".to_owned(),
            }],
            partial: Some("the budget did not allow 1 of the sub-queries".to_owned()),
        }),
        fact(RunFailed {
            error: failure(),
            spent: charge(),
        }),
        fact(RunCancelled {
            reason: "enough".to_owned(),
            spent: charge(),
        }),
        fact(RunInterrupted {
            reason: "only gemicro 9.0 can continue it".to_owned(),
        }),
        fact(EventGap { first_available: 17 }),
    ]
}

#[test]
fn every_kind_has_its_line_and_the_line_is_what_we_write() {
    let mut out = Vec::new();
    for (idx, update) in examples().into_iter().enumerate() {
        let event = Event {
            stream: StreamId::new("RUN").expect("an id"),
            seq: idx as u64 + 1,
            schema_version: SCHEMA_VERSION,
            update,
            step: None,
            parent_run: None,
            trace: None,
            extra: Vec::new(),
        };
        write_line(&mut out, &event).expect("written");
    }
    check_golden("event_kinds.jsonl", &String::from_utf8(out).expect("text"));
    let shown: BTreeSet<String> = examples().into_iter().map(|update| update.event_type).collect();
    let known: BTreeSet<String> = registry()
        .kinds()
        .map(|kind| kind.event_type.to_owned())
        .collect();
    assert_eq!(
        shown, known,
        "every registered kind has an example here, and none beside"
    );
}

/// Lines of earlier programs, never changed: a field added since must be optional to read.
#[test]
fn old_lines_still_read() {
    for fixture in [
        include_str!("golden/event_kinds.jsonl"),
        include_str!("golden/event_kinds_v0_1.jsonl"),
    ] {
        assert!(!fixture.is_empty());
        for line in fixture.lines() {
            let event = read_line(line).unwrap_or_else(|error| panic!("{error}: {line}"));
            registry()
                .check(&event.update)
                .unwrap_or_else(|error| panic!("{error}: {line}"));
        }
    }
}
