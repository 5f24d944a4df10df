//! Answers as they should be, and answers that stop short.

use gemicro_core::flow::AttemptCost;
use gemicro_core::llm::{AnswerDelivery, FinishReason, LlmRequest, LlmTool, generate};
use gemicro_event::{Charge, ErrorKind, Json, Usage};
use serde_json::json;

use crate::gemini_world::{MODEL, World, backend, delivered, handle_at, hear, request, searching};
use crate::raw_server::{RawServer, events};

const BOTH: [AnswerDelivery; 2] = [AnswerDelivery::Streamed, AnswerDelivery::Buffered];

#[tokio::test]
async fn a_buffered_answer_is_one_piece() {
    let world = World::new("  - reply: { text: 'one two three', chunks: { sizes: [4] } }").await;
    let heard = world.call(delivered("hello", AnswerDelivery::Buffered)).await;
    assert_eq!((heard.text.as_str(), heard.n_texts), ("one two three", 1));
    assert_eq!(heard.finish(), &FinishReason::Stop);
    assert_eq!(heard.end().interaction_id.as_deref(), Some("v1_sim000001"));
    assert!(heard.handles.is_empty());
    let body = json!({
        "model": MODEL,
        "input": "hello",
        "generation_config": { "max_output_tokens": 1_000 },
    });
    assert_eq!(world.first_body(), body);
}

#[tokio::test]
async fn a_streamed_answer_comes_in_pieces_after_its_handle() {
    let world =
        World::new("  - reply: { text: 'one two three', thoughts: 'Hm.', chunks: { sizes: [4] } }").await;
    let heard = world.call(request("hello")).await;
    assert_eq!((heard.text.as_str(), heard.n_texts), ("one two three", 4));
    assert_eq!(heard.handles, [handle_at("v1_sim000001", &world.simulator.url())]);
    assert_eq!(heard.finish(), &FinishReason::Stop);
    assert!(heard.n_alive > 0 && heard.alarms.is_empty());
    let entry = &world.simulator.log().entries()[0];
    assert_eq!(entry.path, "/v1beta/interactions?alt=sse");
    assert_eq!(entry.body["stream"], true);
    let header = |name: &str| {
        entry
            .headers
            .iter()
            .find(|(found, _)| found == name)
            .unwrap()
            .1
            .clone()
    };
    assert_eq!(header("accept"), "text/event-stream");
    assert!(header("user-agent").starts_with("gemicro/"));
}

#[tokio::test]
async fn everything_asked_for_is_sent_and_nothing_else() {
    let world = World::new("  - reply: { json: { answer: '42' } }").await;
    let schema = json!({"type": "object", "properties": {"answer": {"type": "string"}}});
    let asked = LlmRequest {
        system: Some("Be brief.".to_owned()),
        schema: Some(Json::from(schema.clone())),
        tools: vec![LlmTool::GoogleSearch, LlmTool::UrlContext],
        temperature: Some(0.2),
        ..delivered("x", AnswerDelivery::Buffered)
    };
    let heard = world.call(asked).await;
    assert_eq!(heard.text, r#"{"answer":"42"}"#);
    let body = json!({
        "model": MODEL,
        "input": "x",
        "tools": [{"type": "google_search"}, {"type": "url_context"}],
        "response_format": {"type": "text", "mime_type": "application/json", "schema": schema},
        "generation_config": {"temperature": 0.2, "max_output_tokens": 1_000},
        "system_instruction": "Be brief.",
    });
    assert_eq!(world.first_body(), body);
}

#[tokio::test]
async fn usage_is_reported_in_our_terms() {
    let rules =
        "  - reply: { text: 'x', usage: { input: 100, output: 7, thought: 30, cached: 40, tool_use: 9 } }";
    let world = World::new(rules).await;
    let usage = Usage {
        input_tokens: 100,
        output_tokens: 37,
        cached_tokens: 40,
        thought_tokens: 30,
        tool_tokens: 9,
        estimated: false,
    };
    for delivery in BOTH {
        let heard = world.call(delivered("x", delivery)).await;
        assert_eq!(heard.end().usage, Some(usage), "{delivery:?}");
    }
}

#[tokio::test]
async fn usage_is_none_when_none_is_reported_and_may_come_earlier() {
    let created =
        r#"{"event_type":"interaction.created","interaction":{"id":"v1_a","status":"in_progress"}}"#;
    let text = r#"{"event_type":"step.delta","index":0,"delta":{"type":"text","text":"hi"}}"#;
    let stop =
        r#"{"event_type":"step.stop","index":0,"usage":{"total_input_tokens":5,"total_output_tokens":1}}"#;
    let done = r#"{"event_type":"interaction.completed","interaction":{"id":"v1_a","status":"completed"}}"#;
    let event = r#"{"event_type":"interaction.completed","interaction":{"id":"v1_a","status":"completed"},"metadata":{"total_usage":{"total_input_tokens":6}}}"#;
    let odd = r#"{"event_type":"interaction.completed","interaction":{"id":"v1_a","status":"completed","usage":{"total_input_tokens":"many"}}}"#;
    for (list, expected) in [
        (vec![created, text, done], None),
        (vec![created, text, odd], None),
        (vec![created, text, stop, done], Some((5, 1))),
        (vec![created, text, stop, event], Some((6, 0))),
    ] {
        let server = RawServer::start(vec![events(&list)]).await;
        let heard = hear_from(&server).await;
        let usage = heard
            .end()
            .usage
            .map(|usage| (usage.input_tokens, usage.output_tokens));
        assert_eq!((heard.text.as_str(), usage), ("hi", expected));
    }
}

#[tokio::test]
async fn pages_are_placed_in_the_text_also_where_characters_have_many_bytes() {
    let rules = "  - reply: { search: { queries: [q] }, text: 'Größe: [[100 °C|https://example.com/water|Water]] für [[Öl|http://example.com/oil]], 💧 [[nichts|javascript:x|Böse]].', chunks: { sizes: [3] } }";
    let world = World::new(rules).await;
    for delivery in BOTH {
        let heard = world
            .call(LlmRequest {
                delivery,
                ..searching("x")
            })
            .await;
        assert_eq!(heard.text, "Größe: 100 °C für Öl, 💧 nichts.");
        let notes = &heard.end().annotations;
        let cited: Vec<_> = notes
            .iter()
            .map(|note| {
                (
                    &heard.text[note.range.clone()],
                    note.url.as_str(),
                    note.title.as_deref(),
                )
            })
            .collect();
        let oil = "http://example.com/oil";
        assert_eq!(
            cited,
            [
                ("100 °C", "https://example.com/water", Some("Water")),
                ("Öl", oil, Some(oil))
            ]
        );
    }
}

#[tokio::test]
async fn wild_citations_never_break_an_answer() {
    let created =
        r#"{"event_type":"interaction.created","interaction":{"id":"v1_a","status":"in_progress"}}"#;
    let intro = r#"{"event_type":"step.delta","index":0,"delta":{"type":"text","text":"é "}}"#;
    let start = r#"{"event_type":"step.start","index":1,"step":{"type":"google_search_call","id":"c","arguments":{}}}"#;
    let text = r#"{"event_type":"step.delta","index":2,"delta":{"type":"text","text":"añb"}}"#;
    let page = |range: &str| format!(r#"{{"type":"url_citation","url":"https://e.com"{range}}}"#);
    let pages = [
        page(r#","start_index":1,"end_index":2"#),
        page(r#","start_index":-4,"end_index":1"#),
        page(r#","start_index":2,"end_index":1"#),
        page(r#","start_index":99,"end_index":120"#),
        page(r#","start_index":0,"end_index":18446744073709551615"#),
        page(r#","start_index":"x","end_index":null"#),
        page(""),
        r#"{"type":"place_citation","url":"https://e.com/place","end_index":1}"#.to_owned(),
        r#"{"type":"future_citation"}"#.to_owned(),
        r#""text""#.to_owned(),
    ];
    let cite = format!(
        r#"{{"event_type":"step.delta","index":2,"delta":{{"type":"text_annotation_delta","annotations":[{}]}}}}"#,
        pages.join(",")
    );
    let done = r#"{"event_type":"interaction.completed","interaction":{"id":"v1_a","status":"completed"}}"#;
    let server = RawServer::start(vec![events(&[created, intro, start, text, &cite, done])]).await;
    let heard = hear_from(&server).await;
    assert_eq!(heard.text, "é añb");
    let ranges: Vec<_> = heard
        .end()
        .annotations
        .iter()
        .map(|note| note.range.clone())
        .collect();
    assert_eq!(ranges, [4..6, 3..4, 3..7, 3..3, 3..3]);
}

#[tokio::test]
async fn an_empty_answer_ends_properly_and_core_says_so() {
    let world = World::new("  - fault: empty").await;
    for delivery in BOTH {
        let asked = delivered("x", delivery);
        let heard = world.call(asked.clone()).await;
        assert_eq!((heard.text.as_str(), heard.finish()), ("", &FinishReason::Stop));
        let failed = generate(&world.backend, &asked, None, |_| {}).await.unwrap_err();
        assert_eq!(failed.failure.kind, ErrorKind::EmptyResult);
    }
}

#[tokio::test]
async fn an_answer_at_its_limit_keeps_its_text() {
    let world =
        World::new("  - { reply: { text: 'one two three' }, fault: { max_tokens: { keep: 1 } } }").await;
    for delivery in BOTH {
        let heard = world.call(delivered("x", delivery)).await;
        assert_eq!(
            (heard.text.as_str(), heard.finish()),
            ("one ", &FinishReason::MaxTokens)
        );
        assert!(heard.end().usage.is_some());
    }
}

#[tokio::test]
async fn blocks_are_reported_with_their_reason() {
    for (stage, reason) in [("prompt", "PROHIBITED_CONTENT"), ("answer", "RECITATION")] {
        let rules = format!("  - fault: {{ safety: {{ stage: {stage}, reason: {reason} }} }}");
        let world = World::new(&rules).await;
        for delivery in BOTH {
            let heard = world.call(delivered("x", delivery)).await;
            let FinishReason::Blocked { reason: blocked_for } = heard.finish() else {
                panic!("{heard:?}");
            };
            assert!(blocked_for.contains(reason), "{blocked_for}");
        }
    }
    // As an HTTP error too, by its documented code.
    let world = World::new("  - fault: { http: { status: 400, code: safety, message: 'Not this.' } }").await;
    let heard = world.call(request("x")).await;
    let reason = "safety: Not this.".to_owned();
    assert_eq!(heard.finish(), &FinishReason::Blocked { reason });
}

#[tokio::test]
async fn statuses_are_an_open_set() {
    for delivery in BOTH {
        for (status, expected) in [
            ("requires_continuation", Ok(FinishReason::MaxTokens)),
            ("budget_exceeded", Ok(FinishReason::MaxTokens)),
            ("incomplete", Ok(FinishReason::MaxTokens)),
            ("cancelled", Err(0)),
            ("requires_action", Err(0)),
            ("failed", Err(0)),
            ("meditating", Err(1)),
        ] {
            let rules =
                format!("  - reply: {{ text: some, usage: {{ input: 10, output: 5 }}, status: {status} }}");
            let world = World::new(&rules).await;
            let heard = world.call(delivered("x", delivery)).await;
            assert_eq!(heard.text, "some", "{status}");
            match expected {
                Ok(finish) => assert_eq!(heard.finish(), &finish, "{status}"),
                Err(n_alarms) => {
                    assert_eq!(heard.kind(), ErrorKind::UpstreamError, "{status}");
                    assert_eq!(heard.alarms.len(), n_alarms, "{status}");
                    // The service told what was used.
                    let AttemptCost::Known(Charge {
                        tokens: 15, turns: 1, ..
                    }) = heard.spent()
                    else {
                        panic!("{heard:?}");
                    };
                }
            }
            if status == "meditating" {
                assert!(
                    heard.alarms[0].contains("status `meditating`"),
                    "{:?}",
                    heard.alarms
                );
            }
        }
    }
}

#[tokio::test]
async fn what_no_one_knows_raises_one_alarm_per_kind() {
    let world =
        World::new("  - { reply: { text: 'one two six', chunks: { sizes: [4] } }, fault: noise }").await;
    let heard = world.call(request("x")).await;
    assert_eq!(
        (heard.text.as_str(), heard.finish()),
        ("one two six", &FinishReason::Stop)
    );
    assert_eq!(heard.alarms.len(), 1);
    assert!(
        heard.alarms[0].contains("event `future.event`"),
        "{:?}",
        heard.alarms
    );

    let created =
        r#"{"event_type":"interaction.created","interaction":{"id":"v1_a","status":"in_progress"}}"#;
    let update = r#"{"event_type":"interaction.status_update","interaction_id":"v1_a","status":"dreaming"}"#;
    let step = r#"{"event_type":"step.start","index":0,"step":{"type":"dance"}}"#;
    let delta = r#"{"event_type":"step.delta","index":0,"delta":{"type":"pirouette","x":1}}"#;
    let hidden = r#"{"event_type":"step.delta","index":0,"delta":{"type":"text","text":"not the answer"}}"#;
    let text = r#"{"event_type":"step.delta","index":1,"delta":{"type":"text","text":"hi"}}"#;
    let done = r#"{"event_type":"interaction.completed","interaction":{"id":"v1_a","status":"completed"}}"#;
    let list = [created, update, update, step, delta, delta, hidden, text, done];
    let server = RawServer::start(vec![events(&list)]).await;
    let heard = hear_from(&server).await;
    assert_eq!((heard.text.as_str(), heard.finish()), ("hi", &FinishReason::Stop));
    let named: Vec<_> = heard
        .alarms
        .iter()
        .filter_map(|alarm| alarm.split('`').nth(1))
        .collect();
    assert_eq!(named, ["dreaming", "dance", "pirouette"]);
}

#[tokio::test]
async fn errors_inside_an_answer_are_failures() {
    let fault = "fault: { stream_error: { after_chunks: 1, code: internal, message: broke } }";
    let world = World::new(&format!(
        "  - {{ reply: {{ text: 'one two', chunks: {{ sizes: [4] }} }}, {fault} }}"
    ))
    .await;
    for delivery in BOTH {
        let heard = world.call(delivered("x", delivery)).await;
        assert_eq!(heard.kind(), ErrorKind::UpstreamError);
        assert!(heard.message().contains("internal: broke"), "{}", heard.message());
    }
    for (code, kind) in [
        ("\"rate_limit_exceeded\"", ErrorKind::RateLimited),
        (
            "\"https://errors.example/quota_exceeded\"",
            ErrorKind::QuotaExhausted,
        ),
        ("\"malformed_function_call\"", ErrorKind::MalformedOutput),
        ("13", ErrorKind::UpstreamError),
    ] {
        let error = format!(r#"{{"event_type":"error","error":{{"code":{code},"message":"m"}}}}"#);
        let server = RawServer::start(vec![events(&[&error])]).await;
        hear_from(&server).await.assert_lost(kind);
    }
    // An error beside a status that says all is well.
    let created =
        r#"{"event_type":"interaction.created","interaction":{"id":"v1_a","status":"in_progress"}}"#;
    let step = r#"{"event_type":"step.start","index":0,"step":{"type":"model_output","error":{"code":"internal","message":"half"}}}"#;
    let done = r#"{"event_type":"interaction.completed","interaction":{"id":"v1_a","status":"completed"}}"#;
    let server = RawServer::start(vec![events(&[created, step, done])]).await;
    let heard = hear_from(&server).await;
    heard.assert_lost(ErrorKind::UpstreamError);
    assert!(heard.message().contains("half"));
}

#[tokio::test]
async fn a_right_answer_under_a_wrong_type_is_an_answer() {
    let world = World::new("  - { reply: { text: fine }, fault: { content_type: text/html } }").await;
    for delivery in BOTH {
        let heard = world.call(delivered("x", delivery)).await;
        assert_eq!(
            (heard.text.as_str(), heard.finish()),
            ("fine", &FinishReason::Stop)
        );
    }
}

async fn hear_from(server: &RawServer) -> crate::gemini_world::Heard {
    use gemicro_core::llm::LlmBackend;
    hear(backend(&server.url()).stream(request("x"), None)).await
}
