//! Tool calls and their results: one scenario for every wire format.

use serde_json::{Value, json};

use crate::client::{Answer, open, read, start};

const SCENARIO: &str = r#"
scenario: tools
rules:
  - name: failed
    when: { tool_result: "write*", tool_result_contains: [denied, path] }
    reply: { text: "It failed: {{tool_result}}" }
  - name: written
    when: { tool_result: "write*" }
    reply: { text: "Wrote {{line:File:}}" }
  - name: another tool
    when: { tool_result: "*" }
    reply: { text: "Another: {{tool_result}}" }
  - name: gemini
    when: { api: gemini, tool_offered: write_file }
    reply: { calls: [{ name: write_file, arguments: { path: "{{line:File:}}" } }] }
  - name: others
    when: { api: [openai, anthropic], tool_offered: write_file }
    reply: { calls: [{ name: write_other, arguments: { path: "{{line:File:}}" } }] }
  - name: remembered
    when: { history_contains: "File: a" }
    reply: { text: "It was a." }
  - name: nothing offered
    reply: { text: "No tool." }
"#;

/// One wire format: what a request looks like.
struct Wire {
    path: &'static str,
    headers: &'static [(&'static str, &'static str)],
    /// The whole request of a conversation: prompts, and perhaps a call with its result.
    body: fn(&Conversation) -> Value,
    /// What was said, or the call as `tool(path)`.
    read: fn(&Value) -> String,
    called: &'static str,
}

#[derive(Default, Clone)]
struct Conversation {
    offered: bool,
    prompt: &'static str,
    /// A call that was answered: tool and result.
    call: Option<(&'static str, &'static str)>,
    /// An answer, and what was said then.
    next: Option<&'static str>,
}

const GOOGLE: &[(&str, &str)] = &[("x-goog-api-key", "sim-key-12345678")];
const BEARER: &[(&str, &str)] = &[("authorization", "Bearer sim-key-12345678")];
const ANTHROPIC: &[(&str, &str)] = &[
    ("x-api-key", "sim-key-12345678"),
    ("anthropic-version", "2023-06-01"),
];

const WIRES: &[Wire] = &[
    Wire {
        path: "/v1beta/models/gemini-3.8-flash:generateContent",
        headers: GOOGLE,
        body: generate_content,
        read: |answer| {
            let part = &answer["candidates"][0]["content"]["parts"][0];
            said_or_called(
                &part["text"],
                &part["functionCall"]["name"],
                &part["functionCall"]["args"],
            )
        },
        called: "write_file",
    },
    Wire {
        path: "/v1/interactions",
        headers: GOOGLE,
        body: interaction,
        read: |answer| {
            let step = &answer["steps"][0];
            said_or_called(&step["content"][0]["text"], &step["name"], &step["arguments"])
        },
        called: "write_file",
    },
    Wire {
        path: "/v1/chat/completions",
        headers: BEARER,
        body: chat,
        read: |answer| {
            let message = &answer["choices"][0]["message"];
            let function = &message["tool_calls"][0]["function"];
            said_or_called(
                &message["content"],
                &function["name"],
                &parsed(&function["arguments"]),
            )
        },
        called: "write_other",
    },
    Wire {
        path: "/v1/responses",
        headers: BEARER,
        body: response,
        read: |answer| {
            let item = &answer["output"][0];
            said_or_called(
                &item["content"][0]["text"],
                &item["name"],
                &parsed(&item["arguments"]),
            )
        },
        called: "write_other",
    },
    Wire {
        path: "/v1/messages",
        headers: ANTHROPIC,
        body: messages,
        read: |answer| {
            let block = &answer["content"][0];
            said_or_called(&block["text"], &block["name"], &block["input"])
        },
        called: "write_other",
    },
];

fn parsed(text: &Value) -> Value {
    serde_json::from_str(text.as_str().unwrap_or("null")).expect("arguments are JSON")
}

fn said_or_called(text: &Value, name: &Value, arguments: &Value) -> String {
    let text_of = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    match name.as_str() {
        Some(name) => format!("{name}({})", text_of(&arguments["path"])),
        None => text_of(text),
    }
}

fn generate_content(talk: &Conversation) -> Value {
    let mut contents = vec![json!({"role": "user", "parts": [{"text": talk.prompt}]})];
    if let Some((tool, result)) = talk.call {
        contents.push(json!({"role": "model", "parts": [{"functionCall": {"name": tool, "args": {}}}]}));
        contents.push(json!({"role": "user", "parts": [{"functionResponse": {"name": tool, "response": {"output": result}}}]}));
    }
    if let Some(next) = talk.next {
        contents.push(json!({"role": "model", "parts": [{"text": "Well."}]}));
        contents.push(json!({"role": "user", "parts": [{"text": next}]}));
    }
    let mut body = json!({ "contents": contents });
    if talk.offered {
        body["tools"] = json!([{"functionDeclarations": [{"name": "read_file"}, {"name": "write_file"}]}]);
    }
    body
}

fn interaction(talk: &Conversation) -> Value {
    let text = |kind: &str, text: &str| json!({"type": kind, "content": [{"type": "text", "text": text}]});
    let mut input = vec![text("user_input", talk.prompt)];
    if let Some((tool, result)) = talk.call {
        input.push(
            json!({"type": "function_call", "id": "c1", "name": tool, "arguments": {}, "signature": "s"}),
        );
        input.push(json!({"type": "function_result", "call_id": "c1", "result": result}));
    }
    if let Some(next) = talk.next {
        input.push(text("model_output", "Well."));
        input.push(text("user_input", next));
    }
    let mut body = json!({"model": "gemini-3.8-flash", "input": input});
    if talk.offered {
        body["tools"] = json!([{"type": "function", "name": "write_file"}]);
    }
    body
}

fn chat(talk: &Conversation) -> Value {
    let mut messages = vec![json!({"role": "user", "content": talk.prompt})];
    if let Some((tool, result)) = talk.call {
        messages.push(json!({"role": "assistant", "content": null, "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": tool, "arguments": "{}"}},
        ]}));
        messages.push(json!({"role": "tool", "tool_call_id": "c1", "content": result}));
    }
    if let Some(next) = talk.next {
        messages.push(json!({"role": "assistant", "content": "Well."}));
        messages.push(json!({"role": "user", "content": next}));
    }
    let mut body = json!({"model": "llama3.2", "messages": messages});
    if talk.offered {
        body["tools"] = json!([{"type": "function", "function": {"name": "write_file"}}]);
    }
    body
}

fn response(talk: &Conversation) -> Value {
    let mut input = vec![json!({"role": "user", "content": [{"type": "input_text", "text": talk.prompt}]})];
    if let Some((tool, result)) = talk.call {
        input.push(json!({"type": "function_call", "call_id": "c1", "name": tool, "arguments": "{}"}));
        input.push(json!({"type": "function_call_output", "call_id": "c1", "output": [{"type": "input_text", "text": result}]}));
    }
    if let Some(next) = talk.next {
        input.push(json!({"role": "assistant", "content": [{"type": "output_text", "text": "Well."}]}));
        input.push(json!({"role": "user", "content": next}));
    }
    let mut body = json!({"model": "gpt-5.5", "input": input});
    if talk.offered {
        body["tools"] = json!([{"type": "namespace", "name": "files", "tools": [{"type": "function", "name": "write_file"}]}]);
    }
    body
}

fn messages(talk: &Conversation) -> Value {
    let mut messages = vec![json!({"role": "user", "content": talk.prompt})];
    if let Some((tool, result)) = talk.call {
        messages.push(json!({"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": tool, "input": {}}]}));
        messages.push(json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": result}]}));
    }
    if let Some(next) = talk.next {
        messages.push(json!({"role": "assistant", "content": "Well."}));
        messages.push(json!({"role": "user", "content": next}));
    }
    let mut body = json!({"model": "claude-opus-4-8", "max_tokens": 99, "messages": messages});
    if talk.offered {
        body["tools"] = json!([{"name": "write_file", "input_schema": {"type": "object"}}]);
    }
    body
}

/// What a model says to a conversation, on every wire: text or call, and rule.
async fn check(talk: Conversation, expected: impl Fn(&Wire) -> (String, &'static str)) {
    for wire in WIRES {
        let simulator = start(SCENARIO).await;
        let body = (wire.body)(&talk).to_string();
        let answer: Answer = read(open(simulator.addr(), "POST", wire.path, &body, wire.headers).await).await;
        assert_eq!(answer.status, 200, "{}: {}", wire.path, answer.body);
        let said = (wire.read)(&answer.json());
        let rule = simulator.log().entries()[0].rule.clone().unwrap_or_default();
        let expected = expected(wire);
        assert_eq!((said, rule.as_str()), expected, "{}: {}", wire.path, answer.body);
        simulator.shutdown().await;
    }
}

#[tokio::test]
async fn each_api_gets_its_own_call() {
    let talk = Conversation {
        offered: true,
        prompt: "Please.\nFile: a/b.txt",
        ..Conversation::default()
    };
    check(talk, |wire| {
        let rule = if wire.called == "write_file" {
            "gemini"
        } else {
            "others"
        };
        (format!("{}(a/b.txt)", wire.called), rule)
    })
    .await;
}

#[tokio::test]
async fn what_is_not_offered_is_not_called() {
    let talk = Conversation {
        prompt: "File: a",
        ..Conversation::default()
    };
    check(talk, |_| ("No tool.".to_owned(), "nothing offered")).await;
}

#[tokio::test]
async fn results_are_distinguished() {
    let with = |tool, result| Conversation {
        offered: true,
        prompt: "File: a",
        call: Some((tool, result)),
        ..Conversation::default()
    };
    // The path is only in the first turn.
    check(with("write_file", "ok"), |_| ("Wrote a".to_owned(), "written")).await;
    check(with("write_file", "path denied"), |_| {
        ("It failed: path denied".to_owned(), "failed")
    })
    .await;
    // The name and the texts must be of the same result.
    check(with("read_file", "path denied"), |_| {
        ("Another: path denied".to_owned(), "another tool")
    })
    .await;
}

#[tokio::test]
async fn a_result_of_an_earlier_turn_is_history() {
    let talk = Conversation {
        prompt: "File: a",
        call: Some(("write_file", "ok")),
        next: Some("Which file?"),
        ..Conversation::default()
    };
    check(talk, |_| ("It was a.".to_owned(), "remembered")).await;
}

#[tokio::test]
async fn stored_interactions_are_history_too() {
    let simulator = start(SCENARIO).await;
    let send = async |body: Value| {
        let body = body.to_string();
        let opened = open(simulator.addr(), "POST", "/v1/interactions", &body, GOOGLE).await;
        read(opened).await.json()
    };
    let tools = json!([{"type": "function", "name": "write_file"}]);
    let first = json!({"model": "gemini-3.8-flash", "input": "File: a", "tools": tools});
    let first = send(first).await;
    let call = &first["steps"][0];
    assert_eq!(call["arguments"], json!({"path": "a"}));
    // The result names no tool: the stored call does.
    let result = json!({"type": "function_result", "call_id": call["id"], "result": "ok"});
    let second =
        send(json!({"model": "gemini-3.8-flash", "input": [result], "previous_interaction_id": first["id"]}))
            .await;
    assert_eq!(second["steps"][0]["content"][0]["text"], "Wrote a");
    let third =
        json!({"model": "gemini-3.8-flash", "input": "Which?", "previous_interaction_id": second["id"]});
    assert_eq!(send(third).await["steps"][0]["content"][0]["text"], "It was a.");
    simulator.shutdown().await;
}
