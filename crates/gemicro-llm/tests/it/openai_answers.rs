//! The OpenAI-compatible backend: what it asks, and the answers it hears.

use std::time::Duration;

use gemicro_core::llm::{AnswerDelivery, FinishReason, generate};
use gemicro_event::{ErrorKind, Usage};
use serde_json::json;

use crate::openai_world::{DELIVERIES, MODEL, World, ask, ask_json, backend, from_raw};
use crate::raw_server::{Act, events, response};

#[tokio::test]
async fn answers_come_with_their_usage() {
    let reply = "  - reply: { thoughts: 'Let me see.', text: 'You said: {{prompt}}', chunks: { sizes: [4] }, usage: { input: 100, cached: 80, output: 10, thought: 5 } }";
    for delivery in DELIVERIES {
        let world = World::new(reply).await;
        let heard = world.call(ask(delivery)).await;
        assert_eq!(heard.text, "You said: hello", "{heard:?}");
        assert_eq!(heard.finish(), &FinishReason::Stop);
        let expected = Usage {
            input_tokens: 100,
            output_tokens: 15,
            cached_tokens: 80,
            thought_tokens: 5,
            ..Usage::default()
        };
        assert_eq!(heard.end().usage, Some(expected));
        assert_eq!(heard.end().interaction_id.as_deref(), Some("chatcmpl-sim000001"));
        assert!(heard.n_alive > 0 && heard.alarms.is_empty() && heard.handles.is_empty());
        let streamed = delivery != AnswerDelivery::Buffered;
        assert_eq!(heard.n_texts, if streamed { 4 } else { 1 });
        let mut body = json!({
            "model": MODEL,
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "hello"},
            ],
            "stream": streamed,
        });
        if streamed {
            body["stream_options"] = json!({"include_usage": true});
        }
        body["max_tokens"] = json!(1_000);
        body["temperature"] = json!(0.2);
        assert_eq!(world.bodies(), [body]);
    }
}

#[tokio::test]
async fn a_schema_is_a_response_format() {
    let world = World::new("  - reply: { persona: helper }").await;
    let heard = world.call(ask_json(AnswerDelivery::Streamed)).await;
    assert_eq!(heard.text, r#"{"n":0}"#);
    let format = &world.bodies()[0]["response_format"];
    assert_eq!(format["type"], "json_schema");
    assert_eq!(format["json_schema"]["name"], "answer");
    assert_eq!(format["json_schema"]["schema"]["required"], json!(["n"]));
    let answered = generate(&world.backend, &ask_json(AnswerDelivery::Streamed), None, |_| {}).await;
    assert_eq!(answered.expect("an answer").text, r#"{"n":0}"#);
}

#[tokio::test]
async fn ends_are_distinguished() {
    for delivery in DELIVERIES {
        for (rule, expected, text) in [
            (
                "fault: { max_tokens: { keep: 1 } }",
                FinishReason::MaxTokens,
                "one ",
            ),
            (
                "fault: { safety: { stage: answer } }",
                FinishReason::Blocked {
                    reason: "content_filter".to_owned(),
                },
                "",
            ),
        ] {
            let world = World::new(&format!("  - reply: {{ text: 'one two six' }}\n    {rule}")).await;
            let heard = world.call(ask(delivery)).await;
            assert_eq!(
                (heard.finish(), heard.text.as_str()),
                (&expected, text),
                "{heard:?}"
            );
        }
        let world = World::new("  - reply: { text: 'well', status: eos_of_a_kind }").await;
        let heard = world.call(ask(delivery)).await;
        assert_eq!(
            (heard.finish(), heard.text.as_str()),
            (&FinishReason::Stop, "well")
        );
        assert!(heard.alarms[0].contains("`eos_of_a_kind`"), "{heard:?}");
    }
}

#[tokio::test]
async fn an_answer_without_its_end_was_cut() {
    let reply = "  - reply: { text: 'one two six', chunks: { sizes: [4] } }\n    fault: ";
    let clean = World::new(&format!("{reply}{{ cut: {{ after_chunks: 2, clean: true }} }}")).await;
    for delivery in DELIVERIES {
        let heard = clean.call(ask(delivery)).await;
        assert!(heard.end.is_none() && heard.failure.is_none(), "{heard:?}");
    }
    let broken = World::new(&format!("{reply}{{ cut: {{ after_chunks: 2 }} }}")).await;
    for delivery in DELIVERIES {
        let heard = broken.call(ask(delivery)).await;
        heard.assert_lost(ErrorKind::TruncatedOutput);
    }
    // What has its reason is whole, whatever happens to the connection then.
    let piece = r#"{"choices":[{"delta":{"content":"whole"},"finish_reason":"stop"}]}"#;
    let heard = from_raw(events(&[piece])).await;
    assert_eq!(
        (heard.text.as_str(), heard.finish()),
        ("whole", &FinishReason::Stop)
    );
    assert_eq!(heard.end().usage, None);
    let piece = r#"{"choices":[{"delta":{"content":"done"},"finish_reason":null}]}"#;
    let heard = from_raw(events(&[piece, "[DONE]"])).await;
    assert_eq!(
        (heard.text.as_str(), heard.finish()),
        ("done", &FinishReason::Stop)
    );
    assert!(
        from_raw(response("200 OK", "text/event-stream", ""))
            .await
            .end
            .is_none()
    );
}

#[tokio::test]
async fn noise_is_overlooked() {
    for rule in ["noise", "{ content_type: text/html }"] {
        let world = World::new(&format!(
            "  - reply: {{ text: 'one two six', chunks: {{ sizes: [4] }} }}\n    fault: {rule}"
        ))
        .await;
        for delivery in DELIVERIES {
            let heard = world.call(ask(delivery)).await;
            assert_eq!(heard.text, "one two six", "{rule}: {heard:?}");
            assert!(heard.end().usage.is_some());
        }
    }
}

#[tokio::test]
async fn comments_are_signs_of_life() {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n: wait\n\n";
    let mut script = vec![Act::Say(head.as_bytes().to_vec())];
    for _ in 0..3 {
        script.push(Act::Wait(Duration::from_millis(60)));
        script.push(Act::Say(b": still here\n\n".to_vec()));
    }
    script.push(Act::Say(
        b"data: {\"choices\":[{\"delta\":{\"content\":\"ok\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n".to_vec(),
    ));
    let heard = from_raw(script).await;
    assert_eq!(heard.text, "ok");
    assert!(heard.n_alive >= 4, "{heard:?}");
}

#[tokio::test]
async fn thoughts_are_no_text() {
    let text = "<think>\\n2 < 3, so </think>\\n\\nThree.";
    for delivery in DELIVERIES {
        let world = World::new(&format!(
            "  - reply: {{ thoughts: 'hm', text: \"{text}\", chunks: {{ sizes: [3] }} }}"
        ))
        .await;
        assert_eq!(world.call(ask(delivery)).await.text, "Three.");
    }
}

#[tokio::test]
async fn a_server_that_does_not_stream_is_understood() {
    let body = r#"{"choices":[{"message":{"role":"assistant","content":"all at once"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":4}}"#;
    let heard = from_raw(response("200 OK", "application/json", body)).await;
    assert_eq!(
        (heard.text.as_str(), heard.finish()),
        ("all at once", &FinishReason::Stop)
    );
    assert_eq!(heard.end().usage.map(|usage| usage.output_tokens), Some(4));
}

#[tokio::test]
async fn models_are_listed() {
    let world = World::new("  - { when: { endpoint: openai_models }, call: 2, fault: garbage }").await;
    let models = world.backend.models().await.expect("a list");
    assert!(models.iter().any(|id| id == MODEL), "{models:?}");
    let failure = world.backend.models().await.expect_err("no list");
    assert_eq!(failure.kind, ErrorKind::MalformedOutput);
    let failure = backend(&format!("{}/nowhere", world.simulator.url()))
        .models()
        .await;
    let failure = failure.expect_err("another place");
    assert!(
        failure.message.contains("does not speak the OpenAI API"),
        "{failure}"
    );
}
