//! A tool of ours, called through the gateway as agent CLIs call it.

use std::sync::{Arc, Mutex};

use gemicro_core::budget::Limits;
use gemicro_llm::gateway::{AgentApi, ServedTool, TOOL_PATH};
use reqwest::Method;
use serde_json::{Value, json};

use crate::gateway_world::{Provider, World, client, config, grant, json_answer};

/// A gateway whose grant carries a tool, and what the tool was called with.
struct Served {
    provider: Provider,
    world: World,
    calls: Arc<Mutex<Vec<String>>>,
}

/// It takes what begins with an object, and notes every call.
async fn served(wire: AgentApi) -> Served {
    let provider = Provider::saying(json_answer("{}")).await;
    let calls: Arc<Mutex<Vec<String>>> = Arc::default();
    let noted = Arc::clone(&calls);
    let mut grant = grant(wire, &provider.url, Limits::NONE);
    let schema = json!({ "type": "object", "required": ["nonce"] });
    grant.tool = Some(ServedTool::new("submit", "Takes it.", schema, move |arguments| {
        noted.lock().expect("nobody panicked").push(arguments.to_owned());
        match arguments.contains("good") {
            true => Ok("taken".to_owned()),
            false => Err("not good".to_owned()),
        }
    }));
    let world = World::with(config(), grant);
    Served {
        provider,
        world,
        calls,
    }
}

impl Served {
    async fn say(&self, message: &str) -> (u16, Value) {
        let answer = self
            .world
            .post(TOOL_PATH, message.to_owned())
            .send()
            .await
            .expect("the gateway answers");
        let status = answer.status().as_u16();
        let text = answer.text().await.expect("a whole answer");
        (status, serde_json::from_str(&text).unwrap_or(Value::Null))
    }

    fn calls(&self) -> Vec<String> {
        self.calls.lock().expect("nobody panicked").clone()
    }
}

fn call(arguments: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{{"name":"submit","arguments":{arguments}}}}}"#
    )
}

#[tokio::test]
async fn a_client_finds_the_tool_and_calls_it() {
    for wire in [AgentApi::Gemini, AgentApi::Anthropic, AgentApi::OpenAi] {
        let served = served(wire).await;
        for (asked, expected) in [
            ("2025-06-18", "2025-06-18"),
            ("2025-03-26", "2025-03-26"),
            ("1999-01-01", "2025-11-25"),
        ] {
            let params = json!({ "protocolVersion": asked, "capabilities": {}, "clientInfo": {} });
            let message = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params });
            let (status, answer) = served.say(&message.to_string()).await;
            assert_eq!((status, &answer["id"]), (200, &json!(0)));
            assert_eq!(answer["result"]["protocolVersion"], expected);
            assert!(answer["result"]["capabilities"]["tools"].is_object());
        }
        let notification = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
        assert_eq!(served.say(notification).await, (202, Value::Null));
        let (_, pong) = served.say(r#"{"jsonrpc":"2.0","id":"p","method":"ping"}"#).await;
        assert_eq!(pong, json!({ "jsonrpc": "2.0", "id": "p", "result": {} }));
        let (_, list) = served
            .say(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#)
            .await;
        let tools = list["result"]["tools"].as_array().unwrap();
        assert_eq!(tools.len(), 1);
        assert_eq!(
            (&tools[0]["name"], &tools[0]["inputSchema"]["type"]),
            (&json!("submit"), &json!("object"))
        );
        // As it was written: keys that come twice are for the tool to see.
        let arguments = r#"{"a":"good", "a":1}"#;
        let (status, answer) = served.say(&call(arguments)).await;
        let result = json!({ "content": [{ "type": "text", "text": "taken" }], "isError": false });
        assert_eq!((status, &answer["result"]), (200, &result));
        let (_, answer) = served.say(&call("{}")).await;
        assert_eq!(
            (
                &answer["result"]["isError"],
                &answer["result"]["content"][0]["text"]
            ),
            (&json!(true), &json!("not good"))
        );
        assert_eq!(served.calls(), [arguments, "{}"]);
        assert!(served.provider.got().is_empty());
        assert_eq!(served.world.ticket.step_usage().n_requests, 0);
    }
}

#[tokio::test]
async fn only_the_token_opens_the_tool() {
    let served = served(AgentApi::Gemini).await;
    let url = served.world.url(TOOL_PATH);
    for token in ["", "gw-0000"] {
        let answer = client()
            .post(&url)
            .bearer_auth(token)
            .body(call("{}"))
            .send()
            .await
            .unwrap();
        assert_eq!(answer.status().as_u16(), 401);
    }
    let Served { world, calls, .. } = served;
    let token = world.ticket.token().to_owned();
    let _ = world.ticket.close().await;
    let answer = client()
        .post(&url)
        .bearer_auth(&token)
        .body(call("{}"))
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status().as_u16(), 401);
    assert!(calls.lock().unwrap().is_empty());
    // The next turn of the same process has its own grant, here one without a tool.
    let provider = Provider::saying(json_answer("{}")).await;
    let again = grant(AgentApi::Gemini, &provider.url, Limits::NONE);
    let _ticket = world.gateway.open_again(&token, again).unwrap();
    let answer = client()
        .post(&url)
        .bearer_auth(&token)
        .body(call("{}"))
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status().as_u16(), 404);
}

#[tokio::test]
async fn what_is_no_message_is_refused() {
    let served = served(AgentApi::OpenAi).await;
    for method in [Method::GET, Method::DELETE] {
        let request = client().request(method, served.world.url(TOOL_PATH));
        let answer = request
            .bearer_auth(served.world.ticket.token())
            .send()
            .await
            .unwrap();
        assert_eq!(answer.status().as_u16(), 405);
        assert_eq!(answer.headers()["allow"], "POST");
    }
    let twice = call("{}").replace(
        "\"arguments\":{}",
        "\"arguments\":{},\"arguments\":{\"a\":\"good\"}",
    );
    for (message, expected) in [
        (String::new(), 400),
        ("nonsense".to_owned(), 400),
        (format!("[{}]", call("{}")), 400),
        (call("{}").replace("2.0", "1.0"), 400),
        (call("{}").replace("\"id\":7", "\"id\":{}"), 400),
        (call("{}").replace("\"id\":7", "\"id\":7,\"id\":8"), 400),
        (call(&format!("\"{}\"", "x".repeat(300 << 10))), 413),
        (twice, 200),
        (call("{}").replace("\"submit\"", "\"shell\""), 200),
        (call("{}").replace("tools/call", "resources/list"), 200),
    ] {
        let (status, answer) = served.say(&message).await;
        assert_eq!(status, expected, "{message:.200} {answer}");
        assert!(answer["error"].is_object(), "{message:.200} {answer}");
    }
    assert_eq!(served.calls(), Vec::<String>::new());
}
