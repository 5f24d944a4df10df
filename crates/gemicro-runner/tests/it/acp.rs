//! What the ACP machine does where no capture shows it: modes, errors, cancelling, odd orders.

use gemicro_event::ErrorKind;
use gemicro_runner::{
    AgentCli, AgentItem, AgentPrompt, AgentRequest, Cancel, Dialogue, GeminiAcp, PermissionAnswer,
    ProcessExit, Session, ToolApproval, ToolStatus, TurnTranscript,
};
use serde_json::{Value, json};

use crate::requests::{ended, request};

const ACP: GeminiAcp = GeminiAcp;

struct Talk(Dialogue);

impl Talk {
    fn new(request: &AgentRequest) -> Self {
        Self(ACP.dialogue(request).unwrap())
    }

    fn said(&mut self) -> Vec<Value> {
        let input = String::from_utf8(self.0.take_input()).unwrap();
        input
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    fn methods(&mut self) -> Vec<String> {
        let said = self.said();
        said.iter()
            .map(|message| message["method"].as_str().unwrap_or("answer").to_owned())
            .collect()
    }

    fn hears(&mut self, message: &Value) -> Vec<AgentItem> {
        self.0.feed(format!("{message}\n").as_bytes())
    }

    fn update(&mut self, kind: &str, text: &str) -> Vec<AgentItem> {
        let update = json!({"sessionUpdate": kind, "content": {"type": "text", "text": text}});
        self.hears(&json!({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s", "update": update}}))
    }

    fn result(&mut self, id: u64, result: &Value) -> Vec<AgentItem> {
        self.hears(&json!({"jsonrpc": "2.0", "id": id, "result": result}))
    }
}

/// A process whose first prompt is running, as request 3.
fn prompting() -> Talk {
    let mut talk = Talk::new(&request(AgentPrompt::user("hi")));
    talk.result(1, &json!({}));
    talk.result(2, &json!({"sessionId": "s"}));
    assert_eq!(talk.methods(), ["initialize", "session/new", "session/prompt"]);
    talk
}

fn permission(id: u64) -> Value {
    let options = json!([
        {"optionId": "always", "name": "Always", "kind": "allow_always"},
        {"optionId": "newer", "kind": "allow_until_tomorrow"},
        {"optionId": "once", "name": "Once", "kind": "allow_once"},
    ]);
    let call = json!({"toolCallId": "t1", "title": "rm -rf /", "kind": "execute"});
    let params = json!({"sessionId": "s", "options": options, "toolCall": call});
    json!({"jsonrpc": "2.0", "id": id, "method": "session/request_permission", "params": params})
}

fn kind_of(items: &[AgentItem]) -> ErrorKind {
    let transcript = TurnTranscript::of(items);
    ACP.judge(&ended(ProcessExit::Running, &transcript))
        .unwrap_err()
        .kind
}

#[test]
fn the_mode_is_set_before_the_prompt() {
    let mut talk = Talk::new(&AgentRequest {
        approval: ToolApproval::All,
        ..request(AgentPrompt::user("hi"))
    });
    talk.result(1, &json!({}));
    talk.result(2, &json!({"sessionId": "s"}));
    assert_eq!(
        talk.said()[2]["params"],
        json!({"sessionId": "s", "modeId": "yolo"})
    );
    // The CLI announces the new mode as if its model had said so.
    assert!(
        talk.update("agent_message_chunk", "[MODE_UPDATE] yolo")
            .is_empty()
    );
    talk.result(3, &json!({}));
    assert_eq!(talk.methods(), ["session/prompt"]);
}

#[test]
fn history_may_be_reported_while_the_mode_is_set() {
    let mut talk = Talk::new(&AgentRequest {
        approval: ToolApproval::All,
        session: Session::Resume("s".parse().unwrap()),
        ..request(AgentPrompt::user("hi"))
    });
    talk.result(1, &json!({}));
    talk.result(2, &json!({}));
    talk.update("agent_message_chunk", "old words");
    talk.update("available_commands_update", "");
    assert_eq!(talk.methods(), ["initialize", "session/load", "session/set_mode"]);
    talk.result(3, &json!({}));
    assert_eq!(talk.methods(), ["session/prompt"]);
}

#[test]
fn a_loaded_session_reports_its_history_first() {
    for has_last_word in [true, false] {
        let mut talk = Talk::new(&AgentRequest {
            session: Session::Resume("s".parse().unwrap()),
            ..request(AgentPrompt::user("hi"))
        });
        talk.result(1, &json!({}));
        talk.result(2, &json!({}));
        assert!(talk.update("agent_message_chunk", "old words").is_empty());
        assert_eq!(talk.methods(), ["initialize", "session/load"]);
        if has_last_word {
            talk.update("available_commands_update", "");
        } else {
            talk.0.quiet();
        }
        assert_eq!(talk.methods(), ["session/prompt"]);
    }
}

#[test]
fn a_session_that_is_gone_is_reported() {
    let mut talk = Talk::new(&AgentRequest {
        session: Session::Resume("s".parse().unwrap()),
        ..request(AgentPrompt::user("hi"))
    });
    talk.result(1, &json!({}));
    let error = json!({"code": -32603, "message": "Internal error", "data": {"details": "No previous sessions found"}});
    let items = talk.hears(&json!({"jsonrpc": "2.0", "id": 2, "error": error}));
    assert_eq!(kind_of(&items), ErrorKind::SessionNotFound);
    assert_eq!(
        talk.0.prompt(&AgentPrompt::user("x")).unwrap_err().kind,
        ErrorKind::SessionNotFound
    );
}

#[test]
fn an_api_error_ends_the_turn_and_not_the_session() {
    let mut talk = prompting();
    let error = json!({"code": 429, "message": "Resource exhausted. Please retry in 2s."});
    let items = talk.hears(&json!({"jsonrpc": "2.0", "id": 3, "error": error}));
    let transcript = TurnTranscript::of(&items);
    let failure = ACP.judge(&ended(ProcessExit::Running, &transcript)).unwrap_err();
    assert_eq!(
        (failure.kind, failure.retry_after_ms),
        (ErrorKind::RateLimited, Some(2_000))
    );
    talk.0.prompt(&AgentPrompt::user("again")).unwrap();
    assert_eq!(talk.methods(), ["session/prompt"]);
}

#[test]
fn stop_reasons_are_judged() {
    for (reason, expected) in [
        ("cancelled", ErrorKind::Cancelled),
        ("max_tokens", ErrorKind::TruncatedOutput),
        ("max_turn_requests", ErrorKind::BudgetExceeded),
        ("refusal", ErrorKind::Blocked),
        ("end_turn", ErrorKind::EmptyResult),
    ] {
        let items = prompting().result(3, &json!({"stopReason": reason}));
        assert_eq!(kind_of(&items), expected, "{reason}");
    }
}

#[test]
fn cancelling_refuses_what_waits_and_what_comes() {
    let mut talk = prompting();
    talk.hears(&permission(7));
    assert_eq!(talk.0.cancel(), Cancel::Notified);
    let said = talk.said();
    assert_eq!(
        said[0],
        json!({"jsonrpc": "2.0", "id": 7, "result": {"outcome": {"outcome": "cancelled"}}})
    );
    assert_eq!(said[1]["method"], "session/cancel");
    assert!(talk.hears(&permission(8)).is_empty());
    assert_eq!(talk.said()[0]["result"]["outcome"]["outcome"], "cancelled");
    talk.result(3, &json!({"stopReason": "cancelled"}));
    assert_eq!(talk.0.cancel(), Cancel::EndProcess);
}

#[test]
fn permission_is_never_given_for_always() {
    let mut talk = prompting();
    let items = talk.hears(&permission(7));
    let AgentItem::Permission(asked) = &items[1] else {
        panic!("{items:?}");
    };
    let deny = PermissionAnswer::Deny {
        reason: "no".to_owned(),
    };
    assert!(talk.0.answer(&asked.id, &deny));
    // There is no option to refuse: then the call is cancelled.
    assert_eq!(talk.said()[0]["result"]["outcome"]["outcome"], "cancelled");
    assert!(!talk.0.answer(&asked.id, &PermissionAnswer::Allow));
    talk.hears(&permission(9));
    let mut only_always = permission(10);
    only_always["params"]["options"] =
        json!([{"optionId": "always", "name": "Always", "kind": "allow_always"}]);
    let items = talk.hears(&only_always);
    let AgentItem::Permission(asked) = &items[0] else {
        panic!("{items:?}");
    };
    assert!(talk.0.answer(&asked.id, &PermissionAnswer::Allow));
    assert_eq!(talk.said()[0]["result"]["outcome"]["outcome"], "cancelled");
}

#[test]
fn a_denied_call_ends_as_denied_and_is_counted() {
    let mut talk = prompting();
    let items = talk.hears(&permission(7));
    let AgentItem::Permission(asked) = &items[1] else {
        panic!("{items:?}");
    };
    let deny = PermissionAnswer::Deny {
        reason: "no".to_owned(),
    };
    assert!(talk.0.answer(&asked.id, &deny));
    let items = talk.result(3, &json!({"stopReason": "end_turn"}));
    let [
        AgentItem::ToolResult {
            id, status, reason, ..
        },
        AgentItem::Ended(end),
    ] = &items[..]
    else {
        panic!("{items:?}");
    };
    assert_eq!(
        (id.as_str(), *status, reason.as_deref()),
        ("t1", ToolStatus::Denied, Some("no"))
    );
    assert_eq!(end.n_refused, 1);
}

#[test]
fn requests_outside_a_turn_and_unknown_ones_are_refused() {
    let mut talk = prompting();
    talk.update("agent_message_chunk", "hello");
    talk.result(3, &json!({"stopReason": "end_turn"}));
    assert!(talk.hears(&permission(4)).is_empty());
    assert_eq!(talk.said()[0]["result"]["outcome"]["outcome"], "cancelled");
    let unknown = json!({"jsonrpc": "2.0", "id": "x", "method": "terminal/create", "params": {}});
    assert_eq!(talk.hears(&unknown).len(), 2);
    assert_eq!(talk.said()[0]["error"]["code"], -32601);
}

#[test]
fn one_prompt_at_a_time() {
    let mut talk = prompting();
    assert_eq!(
        talk.0.prompt(&AgentPrompt::user("x")).unwrap_err().kind,
        ErrorKind::Conflict
    );
    // A prompt given before the session is open waits for it.
    let mut talk = Talk::new(&request(AgentPrompt::user("hi")));
    assert_eq!(
        talk.0.prompt(&AgentPrompt::user("x")).unwrap_err().kind,
        ErrorKind::Conflict
    );
}

/// Between turns nothing is waited for: the next prompt is said at once.
#[test]
fn the_next_prompt_is_said_at_once() {
    let mut talk = prompting();
    assert!(!talk.0.is_ready() && talk.0.is_untouched());
    talk.update("agent_message_chunk", "hello");
    assert!(!talk.0.is_untouched());
    talk.result(3, &json!({"stopReason": "end_turn"}));
    assert!(talk.0.is_ready() && !talk.0.spoke_out_of_turn());
    talk.0.prompt(&AgentPrompt::user("and now?")).unwrap();
    assert_eq!(talk.methods(), ["session/prompt"]);
    assert!(!talk.0.is_ready() && talk.0.is_untouched());
}

/// What a process may print between two turns, and what it may not.
#[test]
fn speech_out_of_turn_is_noticed() {
    let notice = |method: &str| json!({"jsonrpc": "2.0", "method": method, "params": {}});
    for (kind, is_speech) in [
        ("available_commands_update", false),
        ("current_mode_update", false),
        ("something_new", false),
        // The last word of a call that was cancelled.
        ("tool_call_update", false),
        ("tool_call", true),
        ("agent_message_chunk", true),
        ("agent_thought_chunk", true),
    ] {
        let mut talk = prompting();
        talk.result(3, &json!({"stopReason": "end_turn"}));
        let update =
            json!({"sessionUpdate": kind, "toolCallId": "t", "content": {"type": "text", "text": "x"}});
        let params = json!({"sessionId": "s", "update": update});
        talk.hears(&json!({"jsonrpc": "2.0", "method": "session/update", "params": params}));
        talk.hears(&notice("_ext/new"));
        assert_eq!(talk.0.spoke_out_of_turn(), is_speech, "{kind}");
    }
    let mut talk = prompting();
    talk.result(3, &json!({"stopReason": "end_turn"}));
    talk.0.feed(b"Segmentation fault\n");
    assert!(talk.0.spoke_out_of_turn());
    let mut talk = prompting();
    talk.result(3, &json!({"stopReason": "end_turn"}));
    talk.hears(&permission(7));
    assert!(talk.0.spoke_out_of_turn());
}

/// An answer that nobody waits for, or that nobody understands: the process is not to be trusted with another prompt.
#[test]
fn confusion_is_noticed() {
    let mut talk = prompting();
    talk.result(99, &json!({}));
    talk.update("agent_message_chunk", "hello");
    let items = talk.result(3, &json!({"stopReason": "end_turn"}));
    assert!(matches!(items.last(), Some(AgentItem::Ended(_))) && !talk.0.is_ready());
    let mut talk = prompting();
    let items = talk.result(3, &json!({"stopReason": 7}));
    assert!(matches!(
        &items[..],
        [AgentItem::Alarm { .. }, AgentItem::Raw { .. }]
    ));
    assert!(!talk.0.is_ready());
}

/// What is not in the protocol, or not as the protocol has it, is still an end.
#[test]
fn odd_ends_are_ends() {
    let items = prompting().result(3, &json!({"stopReason": "out_of_coffee"}));
    assert!(matches!(&items[..], [AgentItem::Ended(end)] if end.reason.as_deref() == Some("out_of_coffee")));
    for error in [
        json!({"code": "429"}),
        json!("no"),
        json!({"code": 1e300, "message": "x"}),
    ] {
        let mut talk = prompting();
        let items = talk.hears(&json!({"jsonrpc": "2.0", "id": 3, "error": error}));
        assert!(matches!(&items[..], [AgentItem::Ended(_)]), "{error}");
        assert!(talk.0.is_ready(), "{error}");
    }
}

/// What is judged is what came, also where the official types know nothing of it.
#[test]
fn permissions_show_what_the_types_do_not_know() {
    let mut asked = permission(7);
    let content = json!([{"type": "hologram", "path": "/etc/passwd", "oldText": null}]);
    asked["params"]["toolCall"]["content"] = content.clone();
    let items = prompting().hears(&asked);
    let AgentItem::Permission(request) = &items[1] else {
        panic!("{items:?}");
    };
    assert_eq!(request.input["content"], content);
}
