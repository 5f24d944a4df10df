//! What the Claude machine does where no capture shows it.

use gemicro_event::ErrorKind;
use gemicro_runner::{
    AgentCli, AgentItem, AgentPrompt, Cancel, ClaudeCode, Codex, PermissionAnswer, ProcessExit, ToolStatus,
    TurnTranscript,
};
use serde_json::{Value, json};

use crate::requests::{ended, items, request};

fn lines(lines: &[Value]) -> Vec<u8> {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    text.into_bytes()
}

fn said(stream: &[Value]) -> String {
    TurnTranscript::of(&items(&ClaudeCode, &lines(stream)))
        .agent_text()
        .to_owned()
}

fn delta(text: &str) -> Value {
    let event =
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}});
    json!({"type": "stream_event", "event": event})
}

fn whole(text: &str) -> Value {
    json!({"type": "assistant", "message": {"content": [{"type": "text", "text": text}]}})
}

fn started() -> Value {
    json!({"type": "stream_event", "event": {"type": "content_block_start", "index": 0}})
}

#[test]
fn a_text_in_pieces_is_not_said_twice() {
    assert_eq!(
        said(&[started(), delta("He"), delta("llo"), whole("Hello")]),
        "Hello"
    );
    // Pieces that stopped early are completed by the whole.
    assert_eq!(said(&[started(), delta("He"), whole("Hello")]), "Hello");
    assert_eq!(said(&[whole("Hello"), whole("again")]), "Hello\n\nagain");
    assert_eq!(
        said(&[
            started(),
            delta("a"),
            whole("a"),
            started(),
            delta("b"),
            whole("b")
        ]),
        "a\n\nb"
    );
    assert_eq!(said(&[started(), delta("é"), whole("e")]), "é");
}

#[test]
fn words_of_other_agents_are_not_the_answer() {
    let mut inner = whole("inner");
    inner["parent_tool_use_id"] = json!("toolu_1");
    assert_eq!(said(&[inner, whole("outer")]), "outer");
}

#[test]
fn unknown_control_requests_are_refused() {
    let mut dialogue = ClaudeCode.dialogue(&request(AgentPrompt::user("hi"))).unwrap();
    dialogue.take_input();
    let asked =
        json!({"type": "control_request", "request_id": "r1", "request": {"subtype": "hook_callback"}});
    assert_eq!(dialogue.feed(&lines(&[asked])).len(), 2);
    let answer: Value = serde_json::from_slice(&dialogue.take_input()).unwrap();
    assert_eq!(answer["response"]["subtype"], "error");
    assert_eq!(answer["response"]["request_id"], "r1");
}

#[test]
fn cancelling_refuses_what_waits() {
    let mut dialogue = ClaudeCode.dialogue(&request(AgentPrompt::user("hi"))).unwrap();
    dialogue.take_input();
    let request = json!({"subtype": "can_use_tool", "tool_name": "Bash", "input": {"n": 1.50}});
    let asked = json!({"type": "control_request", "request_id": "r1", "request": request});
    let items = dialogue.feed(&lines(&[asked]));
    assert!(matches!(&items[..], [AgentItem::Permission(_)]), "{items:?}");
    assert_eq!(
        dialogue.prompt(&AgentPrompt::user("x")).unwrap_err().kind,
        ErrorKind::Conflict
    );
    assert_eq!(dialogue.cancel(), Cancel::Notified);
    let input = String::from_utf8(dialogue.take_input()).unwrap();
    let sent: Vec<Value> = input
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(sent[0]["response"]["response"]["behavior"], "deny");
    assert_eq!(sent[1]["request"]["subtype"], "interrupt");
}

#[test]
fn a_denied_call_ends_as_denied_and_another_error_as_failed() {
    let mut dialogue = ClaudeCode.dialogue(&request(AgentPrompt::user("hi"))).unwrap();
    let request = json!({"subtype": "can_use_tool", "tool_name": "Bash", "tool_use_id": "t1", "input": {}});
    let asked = json!({"type": "control_request", "request_id": "r1", "request": request});
    dialogue.feed(&lines(&[asked]));
    let deny = PermissionAnswer::Deny {
        reason: "no".to_owned(),
    };
    assert!(dialogue.answer(&"r1".into(), &deny));
    for (id, expected) in [("t1", ToolStatus::Denied), ("t2", ToolStatus::Failed)] {
        let block = json!({"type": "tool_result", "tool_use_id": id, "is_error": true, "content": "no"});
        let message = json!({"role": "user", "content": [block]});
        let items = dialogue.feed(&lines(&[json!({"type": "user", "message": message})]));
        let [AgentItem::ToolResult { status, .. }] = &items[..] else {
            panic!("{items:?}");
        };
        assert_eq!(*status, expected, "{id}");
    }
}

#[test]
fn an_approval_repeats_the_arguments_byte_by_byte() {
    let mut dialogue = ClaudeCode.dialogue(&request(AgentPrompt::user("hi"))).unwrap();
    dialogue.take_input();
    let input = r#"{"b":1.50,"a":123456789012345678901234567890}"#;
    let asked = format!(
        r#"{{"type":"control_request","request_id":"r1","request":{{"subtype":"can_use_tool","tool_name":"T","input":{input}}}}}"#
    );
    let items = dialogue.feed(format!("{asked}\n").as_bytes());
    let [AgentItem::Permission(permission)] = &items[..] else {
        panic!("{items:?}");
    };
    assert!(dialogue.answer(&permission.id, &PermissionAnswer::Allow));
    let answer = String::from_utf8(dialogue.take_input()).unwrap();
    let expected = format!(
        r#"{{"type":"control_response","response":{{"subtype":"success","request_id":"r1","response":{{"behavior":"allow","updatedInput":{input}}}}}}}"#
    );
    assert_eq!(answer.trim_end(), expected);
}

#[test]
fn a_cut_answer_is_no_success() {
    for (reason, expected) in [
        ("max_tokens", ErrorKind::TruncatedOutput),
        ("refusal", ErrorKind::Blocked),
    ] {
        let ended_line = json!({"type": "result", "subtype": "success", "is_error": false, "result": "Hel", "stop_reason": reason});
        let transcript = TurnTranscript::of(&items(&ClaudeCode, &lines(&[whole("Hel"), ended_line])));
        let failure = ClaudeCode
            .judge(&ended(ProcessExit::Code(0), &transcript))
            .unwrap_err();
        assert_eq!(failure.kind, expected);
        assert_eq!(failure.detail.unwrap()["partial_text"], "Hel");
    }
}

#[test]
fn a_cli_for_one_prompt_says_so() {
    let mut dialogue = Codex.dialogue(&request(AgentPrompt::user("hi"))).unwrap();
    assert!(dialogue.take_input().is_empty());
    assert_eq!(
        dialogue.prompt(&AgentPrompt::user("x")).unwrap_err().kind,
        ErrorKind::InvalidInput
    );
    assert_eq!(dialogue.cancel(), Cancel::EndProcess);
}
