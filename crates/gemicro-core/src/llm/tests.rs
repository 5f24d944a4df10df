//! Truthful outcome (C4): a success needs content and a proper end; everything else has its kind.

use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use gemicro_event::{Charge, ErrorKind, Failure, Json, StepKey, Usage};

use super::{
    AnswerDelivery, CallTime, FinishReason, GenerationEvent, LlmBackend, LlmChunk, LlmConfig, LlmEnd,
    LlmRequest, LlmResponse, generate, json_in, llm_step,
};
use crate::budget::Purpose;
use crate::flow::{AttemptCost, StepFailure};

/// A backend that says exactly this.
struct Says(Vec<Result<LlmChunk, StepFailure>>);

impl LlmBackend for Says {
    fn name(&self) -> &str {
        "says"
    }

    fn stream(&self, _: LlmRequest, _: Option<Json>) -> BoxStream<'static, Result<LlmChunk, StepFailure>> {
        futures_util::stream::iter(self.0.clone()).boxed()
    }
}

const USAGE: Usage = Usage {
    input_tokens: 40,
    output_tokens: 9,
    cached_tokens: 0,
    thought_tokens: 0,
    tool_tokens: 0,
    estimated: false,
};

fn request(schema: bool) -> LlmRequest {
    LlmRequest {
        label: "answer".to_owned(),
        backend: "gemini".to_owned(),
        model: "gemini-3.8-flash".to_owned(),
        system: Some("Be careful.".to_owned()),
        prompt: "Why is the sky blue? ".repeat(20),
        previous: None,
        schema: schema.then(|| Json::from(serde_json::json!({ "type": "object" }))),
        tools: Vec::new(),
        functions: Vec::new(),
        rounds: Vec::new(),
        delivery: AnswerDelivery::Streamed,
        max_output_tokens: 64,
        temperature: None,
        time: CallTime::default(),
    }
}

fn text(text: &str) -> Result<LlmChunk, StepFailure> {
    Ok(LlmChunk::Text(text.to_owned()))
}

fn end(finish: FinishReason, usage: Option<Usage>) -> Result<LlmChunk, StepFailure> {
    Ok(LlmChunk::End(LlmEnd {
        finish,
        usage,
        interaction_id: Some("i-1".to_owned()),
        annotations: Vec::new(),
        calls: Vec::new(),
    }))
}

fn stop() -> Result<LlmChunk, StepFailure> {
    end(FinishReason::Stop, Some(USAGE))
}

fn now<T>(answer: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build();
    runtime.expect("a runtime").block_on(answer)
}

/// Says these with a pause before each.
struct Slow(Vec<(u64, LlmChunk)>);

impl LlmBackend for Slow {
    fn name(&self) -> &str {
        "slow"
    }

    fn stream(&self, _: LlmRequest, _: Option<Json>) -> BoxStream<'static, Result<LlmChunk, StepFailure>> {
        let says = self.0.clone();
        Box::pin(async_stream::stream! {
            for (seconds, chunk) in says {
                tokio::time::sleep(std::time::Duration::from_secs(seconds)).await;
                yield Ok(chunk);
            }
        })
    }
}

#[test]
fn silence_and_length_have_their_limits() {
    let words = |pauses: &[u64]| {
        let chunk = |seconds: &u64| (*seconds, LlmChunk::Text("a".to_owned()));
        pauses.iter().map(chunk).collect::<Vec<_>>()
    };
    let cases = [
        ("silent", words(&[31]), ErrorKind::IdleTimeout),
        ("silent in the middle", words(&[1, 1, 31]), ErrorKind::IdleTimeout),
        ("never done", words(&[20, 20, 20, 20]), ErrorKind::Timeout),
        (
            "alive for ever",
            vec![(20, LlmChunk::Alive); 9],
            ErrorKind::Timeout,
        ),
    ];
    for (name, says, kind) in cases {
        let failed = now(generate(&Slow(says), &request(false), None, |_| ())).expect_err(name);
        assert_eq!(
            (failed.failure.kind, failed.spent),
            (kind, AttemptCost::Unknown),
            "{name}"
        );
    }
}

fn answer(schema: bool, says: Vec<Result<LlmChunk, StepFailure>>) -> Result<LlmResponse, StepFailure> {
    let request = request(schema);
    let backend = Says(says);
    now(generate(&backend, &request, None, |_| ()))
}

#[test]
fn every_bad_end_has_its_kind() {
    let blocked = FinishReason::Blocked {
        reason: "safety".to_owned(),
    };
    let known = AttemptCost::Known(Charge {
        tokens: 49,
        micro_usd: 64,
        turns: 1,
        ..Charge::ZERO
    });
    let broken = StepFailure::free(Failure::new(ErrorKind::RateLimited, "429"));
    let cases = [
        ("no text", false, vec![stop()], ErrorKind::EmptyResult, known),
        (
            "blanks",
            false,
            vec![text(" \n\t "), stop()],
            ErrorKind::EmptyResult,
            known,
        ),
        (
            "nothing at all",
            false,
            vec![],
            ErrorKind::TruncatedOutput,
            AttemptCost::Unknown,
        ),
        (
            "cut",
            false,
            vec![text("The sky is")],
            ErrorKind::TruncatedOutput,
            AttemptCost::Unknown,
        ),
        (
            "output limit",
            false,
            vec![text("The sky is"), end(FinishReason::MaxTokens, Some(USAGE))],
            ErrorKind::TruncatedOutput,
            known,
        ),
        (
            "blocked",
            false,
            vec![text("The"), end(blocked, Some(USAGE))],
            ErrorKind::Blocked,
            known,
        ),
        (
            "no JSON",
            true,
            vec![text("It is blue."), stop()],
            ErrorKind::MalformedOutput,
            known,
        ),
        (
            "broken JSON",
            true,
            vec![text("{\"answer\": \"blue"), stop()],
            ErrorKind::MalformedOutput,
            known,
        ),
        (
            "backend failed",
            false,
            vec![text("The"), Err(broken)],
            ErrorKind::RateLimited,
            AttemptCost::Nothing,
        ),
    ];
    for (name, schema, says, kind, spent) in cases {
        let failure = answer(schema, says).expect_err(name);
        assert_eq!((failure.failure.kind, failure.spent), (kind, spent), "{name}");
    }
}

#[test]
fn a_proper_end_with_content_is_a_success() {
    let response = answer(
        false,
        vec![text("The sky "), text("is blue."), stop(), text("never read")],
    )
    .expect("fine");
    let expected = LlmResponse {
        text: "The sky is blue.".to_owned(),
        usage: USAGE,
        interaction_id: Some("i-1".to_owned()),
        annotations: Vec::new(),
        calls: Vec::new(),
    };
    assert_eq!(response, expected);
    answer(
        true,
        vec![
            text("Sure! {\"answer\": "),
            text("\"blue\"} Anything else?"),
            stop(),
        ],
    )
    .expect("JSON in prose");
}

#[test]
fn absent_usage_is_estimated_and_says_so() {
    let response = answer(
        false,
        vec![text("The sky is blue."), end(FinishReason::Stop, None)],
    )
    .expect("fine");
    assert!(response.usage.estimated);
    assert!(
        response.usage.input_tokens > 50 && response.usage.output_tokens > 0,
        "{:?}",
        response.usage
    );
    // An estimate never exceeds what was reserved.
    let step = llm_step(
        StepKey::new("a"),
        &request(false),
        Purpose::Ordinary,
        &LlmConfig::default(),
    );
    assert!(response.usage.input_tokens + 64 <= step.cost.tokens);
}

#[test]
fn pieces_and_handles_are_seen_as_they_come() {
    let mut seen = Vec::new();
    let backend = Says(vec![
        Ok(LlmChunk::Handle(Json::from(serde_json::json!("h")))),
        text("a"),
        Ok(LlmChunk::Alive),
        Ok(LlmChunk::Alarm("status `odd` is new".to_owned())),
        text("b"),
        stop(),
    ]);
    let request = request(false);
    let listen = |heard: GenerationEvent<'_>| {
        seen.push(match heard {
            GenerationEvent::Text(text) => text.to_owned(),
            GenerationEvent::Handle(handle) => handle.text().to_owned(),
            GenerationEvent::Alarm(message) => message,
        });
    };
    now(generate(&backend, &request, None, listen)).expect("fine");
    assert_eq!(seen, ["\"h\"", "a", "status `odd` is new", "b"]);
}

#[test]
fn the_reservation_covers_the_worst_case() {
    let step = llm_step(
        StepKey::new("a"),
        &request(true),
        Purpose::Ordinary,
        &LlmConfig::default(),
    );
    let request = request(true);
    let bytes = request.prompt.len()
        + request.system.map_or(0, |it| it.len())
        + request.schema.map_or(0, |it| it.text().len());
    assert!(step.cost.tokens >= bytes as u64 + 64);
    assert_eq!(step.cost.turns, 1);
    assert!(step.cost.micro_usd > 0);
}

#[test]
fn the_last_whole_json_of_a_text_is_taken() {
    let cases = [
        (r#"{"a": 1}"#, Some(r#"{"a": 1}"#)),
        (r#"first {"a": 1} then {"b": [2]} done"#, Some(r#"{"b": [2]}"#)),
        ("```json\n[1, 2]\n```", Some("[1, 2]")),
        (r#"{ "open": {"inner": 1} "#, Some(r#"{"inner": 1}"#)),
        (r#"{"a": 1} Sources: [1], [2]"#, Some(r#"{"a": 1}"#)),
        (r#"[1] says so: [{"a": 1}]"#, Some(r#"[{"a": 1}]"#)),
        (
            r#"So: {"a": [1, 2, ], "b": {"c": ",}"},}. Done"#,
            Some(r#"{"a": [1, 2 ], "b": {"c": ",}"}}"#),
        ),
        (r#"{"a": 1,,}"#, None),
        ("no json, 42, \"text\"", None),
        ("]}{[", None),
        ("", None),
        ("{{question}}", None),
    ];
    for (text, expected) in cases {
        assert_eq!(json_in(text).as_ref().map(Json::text), expected, "{text:?}");
    }
}

#[test]
fn noise_of_any_length_is_given_up_quickly() {
    let started = std::time::Instant::now();
    for noise in ["[", "{\"a\":", "[{", "{"] {
        assert_eq!(json_in(&noise.repeat(100_000)), None);
    }
    assert!(
        started.elapsed() < std::time::Duration::from_secs(60),
        "not quadratic: {:?}",
        started.elapsed()
    );
}
