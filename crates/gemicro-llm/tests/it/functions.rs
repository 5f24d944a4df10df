//! Functions that we run: both backends offer them, hear calls of them in every form, and send the results.

use gemicro_core::llm::{
    AnswerDelivery, FinishReason, FunctionCall, FunctionResult, FunctionRound, LlmBackend, LlmFunction,
    LlmRequest, generate,
};
use gemicro_event::{ErrorKind, Json};
use serde_json::{Value, json};

use crate::gemini_world::{self, Heard, hear, request};
use crate::openai_world::{self, backend};
use crate::raw_server::{RawServer, events, response};

const RULES: &str = "  - when: { tool_result: recall }
    reply: { text: 'It says: {{tool_result}}' }
  - when: { tool_offered: recall }
    reply: { text: 'Let me see.', calls: [{ name: recall, arguments: { query: 'a b' } }, { name: recall, arguments: { turn: 3 } }], chunks: { sizes: [4] } }
  - reply: { text: 'No function.' }";

const DELIVERIES: [AnswerDelivery; 3] = [
    AnswerDelivery::Streamed,
    AnswerDelivery::Buffered,
    AnswerDelivery::Background,
];

fn recall() -> LlmFunction {
    LlmFunction {
        name: "recall".to_owned(),
        description: "Searches.".to_owned(),
        parameters: Json::from(json!({"type": "object", "properties": {"query": {"type": "string"}}})),
    }
}

fn offering(request: LlmRequest) -> LlmRequest {
    LlmRequest {
        functions: vec![recall()],
        ..request
    }
}

/// The same question with the results of the calls that were heard.
fn answered(request: &LlmRequest, heard: &Heard, text: &str) -> LlmRequest {
    let calls = heard.end().calls.clone();
    let result = |call: &FunctionCall| FunctionResult {
        call: call.id.clone(),
        name: call.name.clone(),
        text: text.to_owned(),
        is_error: false,
    };
    LlmRequest {
        rounds: vec![FunctionRound {
            text: heard.text.clone(),
            interaction: heard.end().interaction_id.clone(),
            results: calls.iter().map(result).collect(),
            calls,
        }],
        ..request.clone()
    }
}

fn called(heard: &Heard) -> Vec<(String, Value)> {
    assert_eq!(heard.finish(), &FinishReason::Stop);
    assert!(heard.alarms.is_empty(), "{heard:?}");
    let calls = heard.end().calls.iter();
    calls
        .map(|call| {
            assert!(!call.id.is_empty());
            let arguments = serde_json::from_str(&call.arguments).expect("JSON");
            (call.name.clone(), arguments)
        })
        .collect()
}

fn expected() -> Vec<(String, Value)> {
    vec![
        ("recall".to_owned(), json!({"query": "a b"})),
        ("recall".to_owned(), json!({"turn": 3})),
    ]
}

#[tokio::test]
async fn gemini_calls_a_function_and_gets_its_result() {
    for delivery in DELIVERIES {
        let world = gemini_world::World::new(RULES).await;
        let asked = offering(LlmRequest {
            delivery,
            ..request("What was it?")
        });
        let heard = world.call(asked.clone()).await;
        assert_eq!(called(&heard), expected(), "{delivery:?}");
        let id = heard.end().interaction_id.clone().expect("it is stored");
        // One that is taken up again says the same.
        assert_eq!(called(&world.pick_up(asked.clone(), &id).await), expected());

        let second = answered(&asked, &heard, "found");
        let heard = world.call(second.clone()).await;
        assert_eq!(heard.text, "It says: found\nfound", "{heard:?}");
        assert!(heard.end().calls.is_empty());
        let again = heard.end().interaction_id.clone().expect("it is stored");
        assert!(world.pick_up(second, &again).await.end().calls.is_empty());
        let bodies: Vec<Value> = world
            .simulator
            .log()
            .entries()
            .into_iter()
            .map(|it| it.body)
            .collect();
        assert_eq!(
            bodies[0]["tools"],
            json!([{"type": "function", "name": "recall", "description": "Searches.", "parameters": *recall().parameters}])
        );
        let sent = bodies
            .iter()
            .find(|body| body["input"].is_array())
            .expect("results were sent");
        assert_eq!(sent["previous_interaction_id"], json!(id));
        assert_eq!(sent["input"].as_array().map(Vec::len), Some(2));
        assert_eq!(sent["input"][1]["type"], "function_result");
    }
}

#[tokio::test]
async fn openai_calls_a_function_and_gets_its_result() {
    for delivery in DELIVERIES {
        let world = openai_world::World::new(RULES).await;
        let asked = offering(openai_world::ask(delivery));
        let heard = world.call(asked.clone()).await;
        assert_eq!(
            (heard.text.as_str(), called(&heard)),
            ("Let me see.", expected()),
            "{delivery:?}"
        );
        let heard = world.call(answered(&asked, &heard, "found")).await;
        assert_eq!(heard.text, "It says: found\nfound", "{heard:?}");
        let bodies = world.bodies();
        assert_eq!(bodies[0]["tools"][0]["function"]["name"], "recall");
        let messages = bodies[1]["messages"].as_array().expect("messages");
        let roles: Vec<&str> = messages.iter().filter_map(|it| it["role"].as_str()).collect();
        assert_eq!(roles, ["system", "user", "assistant", "tool", "tool"]);
        assert_eq!(messages[2]["content"], "Let me see.");
        assert_eq!(messages[2]["tool_calls"][0]["id"], messages[3]["tool_call_id"]);
    }
}

/// Calls that were not offered are no answer.
#[tokio::test]
async fn a_call_of_a_function_that_was_not_offered_is_no_answer() {
    let rules = "  - reply: { calls: [{ name: recall, arguments: {} }] }";
    let gemini = gemini_world::World::new(rules).await;
    let failed = generate(&gemini.backend, &request("x"), None, |_| {}).await;
    assert_eq!(
        failed.expect_err("no answer").failure.kind,
        ErrorKind::UpstreamError
    );
    let openai = openai_world::World::new(rules).await;
    let asked = openai_world::ask(AnswerDelivery::Streamed);
    let failed = generate(&openai.backend, &asked, None, |_| {}).await;
    assert_eq!(
        failed.expect_err("no answer").failure.kind,
        ErrorKind::EmptyResult
    );
    // Offered, a call without arguments has an empty object of them.
    let called = generate(&openai.backend, &offering(asked), None, |_| {}).await;
    assert_eq!(called.expect("a call").calls[0].arguments, "{}");
}

/// A result for a call that the service has forgotten is not the fault of the model.
#[tokio::test]
async fn a_lost_interaction_is_not_taken_for_an_unknown_model() {
    let world = gemini_world::World::new(RULES).await;
    let asked = offering(request("What was it?"));
    let mut second = answered(&asked, &world.call(asked.clone()).await, "found");
    second.rounds[0].interaction = Some("v1_gone".to_owned());
    assert_eq!(world.call(second).await.kind(), ErrorKind::SessionNotFound);
}

/// Servers differ: one index for all calls, arguments as an object, no ids, whole calls in one piece.
#[tokio::test]
async fn openai_calls_are_put_together_however_they_come() {
    let piece = |calls: Value| json!({"choices": [{"delta": {"tool_calls": calls}}]}).to_string();
    let end = json!({"choices": [{"delta": {}, "finish_reason": "tool_calls"}]}).to_string();
    let cases = [
        vec![
            piece(
                json!([{"index": 0, "id": "a", "function": {"name": "recall", "arguments": "{\"query\""}}]),
            ),
            piece(
                json!([{"index": 1, "id": "b", "function": {"name": "recall", "arguments": "{\"turn\":"}}]),
            ),
            piece(
                json!([{"index": 0, "function": {"arguments": ":\"a b\"}"}}, {"index": 1, "function": {"arguments": "3}"}}]),
            ),
        ],
        vec![
            piece(
                json!([{"index": 0, "id": "a", "function": {"name": "recall", "arguments": "{\"query\":\"a b\"}"}}]),
            ),
            piece(
                json!([{"index": 0, "id": "b", "function": {"name": "recall", "arguments": "{\"turn\":3}"}}]),
            ),
        ],
        vec![piece(json!([
            {"function": {"name": "recall", "arguments": {"query": "a b"}}},
            {"function": {"name": "recall", "arguments": {"turn": 3}}},
        ]))],
    ];
    for mut pieces in cases {
        pieces.push(end.clone());
        let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
        let server = RawServer::start(vec![events(&pieces)]).await;
        let asked = offering(openai_world::ask(AnswerDelivery::Streamed));
        let heard = hear(backend(&server.url()).stream(asked, None)).await;
        assert_eq!(called(&heard), expected(), "{pieces:?}");
        assert_ne!(heard.end().calls[0].id, heard.end().calls[1].id);
    }
}

#[tokio::test]
async fn a_model_without_tools_is_asked_without_them() {
    let refusal = json!({"error": {"message": "registry.ollama.ai/library/gemma does not support tools"}});
    let answer = json!({"choices": [{"message": {"content": "Yes."}, "finish_reason": "stop"}]});
    let server = RawServer::start(vec![
        response("400 Bad Request", "application/json", &refusal.to_string()),
        response("200 OK", "application/json", &answer.to_string()),
    ])
    .await;
    let asked = offering(openai_world::ask(AnswerDelivery::Streamed));
    let heard = hear(backend(&server.url()).stream(asked, None)).await;
    assert_eq!(heard.text, "Yes.", "{heard:?}");
}
