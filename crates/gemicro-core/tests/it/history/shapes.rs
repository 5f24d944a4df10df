//! What is stored and printed keeps its shape.

use gemicro_core::history::{AnsweredCall, Author, HistoryConfig, HistoryManager, ToolCall, Turn};
use serde_json::json;

fn small_talk() -> HistoryManager {
    let mut history = HistoryManager::new(HistoryConfig::default());
    history.add_message(Author::User, "Never push to main.");
    let mut asking = Turn::new(Author::Assistant, "I look.");
    asking.calls = vec![ToolCall {
        id: "c1".to_owned(),
        name: "shell".to_owned(),
        args: json!({ "input": "ls" }),
        open: false,
    }];
    history.add_turn(asking);
    let mut answer = Turn::new(Author::Tool, "took 12 ms");
    answer.answers = Some(AnsweredCall {
        call: "c1".to_owned(),
        name: "shell".to_owned(),
    });
    history.add_turn(answer);
    history
}

#[test]
fn a_log_in_the_journal() {
    let expected = json!([
        { "number": 1, "author": "user", "kind": "message", "trust": "instruction", "text": "Never push to main." },
        {
            "number": 2, "author": "assistant", "kind": "message", "trust": "model", "text": "I look.",
            "calls": [{ "id": "c1", "name": "shell", "args": { "input": "ls" } }]
        },
        {
            "number": 3, "author": "tool", "kind": "tool_output", "trust": "data", "text": "took 12 ms",
            "answers": { "call": "c1", "name": "shell" }
        }
    ]);
    let history = small_talk();
    let written = serde_json::to_value(history.log()).unwrap();
    assert_eq!(written, expected);
    let read: gemicro_core::history::ConversationLog = serde_json::from_value(written).unwrap();
    assert_eq!(&read, history.log());
}

#[test]
fn a_prompt() {
    let mut history = small_talk();
    let result = history.build_prompt("go on").unwrap();
    let tag = result.tag.as_str();
    let turns = result.prompt.split_once('\n').unwrap().1;
    let expected = "<<TAG 1 user\nNever push to main.\n<</TAG\n\
        <<TAG 2 assistant {\"calls\":[{\"id\":\"c1\",\"name\":\"shell\",\"args\":{\"input\":\"ls\"}}]}\nI look.\n<</TAG\n\
        <<TAG 3 tool {\"call\":\"c1\",\"name\":\"shell\"}\ntook 12 ms\n<</TAG\n\
        <<TAG 4 user\ngo on\n<</TAG\n";
    assert_eq!(turns.replace(tag, "TAG"), expected);
}

#[test]
fn a_report() {
    let mut history = small_talk();
    history.prompt().unwrap();
    let mut report = serde_json::to_value(history.report().unwrap()).unwrap();
    for measured in ["tokens_before", "tokens_after", "ratio"] {
        assert!(report[measured].is_number());
        report[measured] = json!(0);
    }
    let kept = |n: u64| json!({ "kept": n, "total": n });
    let counts = |n: u64| json!({ "total": n, "verbatim": n, "recalled": 0, "left_out": 0 });
    let expected = json!({
        "compressor": "summarise", "level": "none", "epoch": 1, "n_compactions": 0,
        "tokens_before": 0, "tokens_after": 0, "ratio": 0,
        "segments": [], "pinned": [], "lost": [],
        "retention": {
            "rule": kept(1), "decision": kept(0), "done": kept(0), "identifier": kept(0), "number": kept(1)
        },
        "statements": {
            "user": counts(1), "assistant": counts(1), "pasted": counts(1),
            "verbatim": [{ "first": 1, "last": 2 }], "recalled": [], "left_out": [], "pasted_left_out": []
        },
        "prefix_kept": 1.0, "n_summary_statements_dropped": 0, "n_model_calls": 0, "warnings": []
    });
    assert_eq!(report, expected);
}
