//! Requests as the CLIs really sent them, and the answers they understand.

use std::path::Path;

use serde_json::{Value, json};

use super::{EXIT_DENY, Format, answer, read, refusal};
use crate::policy::{Decision, PolicyConfig, check};

const GEMINI: &str = r#"{"session_id":"ca34879b","transcript_path":"/srv/user/.gemini/tmp/project/chats/s.jsonl",
 "cwd":"/srv/me/project","hook_event_name":"BeforeTool","timestamp":"2026-11-15T00:13:32.983Z",
 "tool_name":"run_shell_command","tool_input":{"command":"git checkout -b evil"}}"#;
const CLAUDE: &str = r#"{"session_id":"fbffa4e5","transcript_path":"/srv/user/.claude/projects/-work-project/f.jsonl",
 "cwd":"/srv/me/project","prompt_id":"83af04ad","permission_mode":"bypassPermissions","effort":{"level":"high"},
 "hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"git checkout -b evil","description":"d"},
 "tool_use_id":"toolu_000016_0"}"#;
const NEUTRAL: &str = r#"{"tool":"Bash","command":"git checkout -b evil","cwd":"/srv/me/project","worktree":"/srv/me/project"}"#;
const MESSAGE: &str = "Permission Denied: git_subcommand (git checkout -b evil): \
    stay on your branch; to undo a change, edit the file back and commit";

fn decide(format: Format, text: &str) -> Decision {
    check(&PolicyConfig::default(), &read(format, text, None).unwrap())
}

fn body(format: Format, decision: &Decision) -> Value {
    let answer = answer(format, decision);
    assert_eq!((answer.exit_code, answer.stderr.as_str()), (0, ""));
    assert!(!answer.stdout.contains('\n'));
    serde_json::from_str(&answer.stdout).unwrap()
}

#[test]
fn denials_in_every_format() {
    let expected = [
        (
            Format::Gemini,
            GEMINI,
            json!({"decision": "deny", "reason": MESSAGE}),
        ),
        (
            Format::Claude,
            CLAUDE,
            json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny",
                "permissionDecisionReason": MESSAGE}}),
        ),
        (
            Format::Neutral,
            NEUTRAL,
            json!({"decision": "deny", "rule": "git_subcommand", "segment": "git checkout -b evil",
                "hint": "stay on your branch; to undo a change, edit the file back and commit"}),
        ),
    ];
    for (format, request, expected) in expected {
        assert_eq!(body(format, &decide(format, request)), expected);
    }
}

#[test]
fn allowing_leaves_the_cli_its_own_rules() {
    for (format, request) in [(Format::Gemini, GEMINI), (Format::Claude, CLAUDE)] {
        let request = request.replace("checkout -b evil", "status");
        assert_eq!(body(format, &decide(format, &request)), json!({}));
    }
    let request = NEUTRAL.replace("checkout -b evil", "status");
    let expected = json!({"decision": "allow", "rule": null, "segment": null, "hint": null});
    assert_eq!(
        body(Format::Neutral, &decide(Format::Neutral, &request)),
        expected
    );
}

#[test]
fn whatever_cannot_be_read_is_refused() {
    let bad = [
        "",
        "{",
        "[]",
        "null",
        "{}",
        r#"{"hook_event_name":"AfterTool","cwd":"/x","tool_name":"Bash","tool_input":{}}"#,
        r#"{"hook_event_name":"BeforeTool","tool_name":"Bash","tool_input":{}}"#,
        r#"{"hook_event_name":"BeforeTool","cwd":"/x","tool_input":{}}"#,
        r#"{"hook_event_name":"BeforeTool","cwd":"/x","tool_name":"Bash","tool_input":"ls"}"#,
    ];
    for text in bad {
        let error = read(Format::Gemini, text, None).unwrap_err();
        let answer = refusal(Format::Gemini, &error);
        assert_eq!(answer.exit_code, EXIT_DENY);
        assert!(answer.stderr.starts_with("Permission Denied: "), "{answer:?}");
        assert!(answer.stdout.contains("deny"));
    }
    for text in [
        r#"{"tool":"Bash","command":"ls","args":{"command":"git push"},"worktree":"/x"}"#,
        r#"{"tool":"Bash","command":"ls"}"#,
        r#"{"command":"ls","worktree":"/x"}"#,
    ] {
        assert!(read(Format::Neutral, text, None).is_err(), "{text}");
    }
}

#[test]
fn a_request_does_not_choose_the_worktree() {
    let known = Path::new("/task/wt");
    let call = read(Format::Gemini, GEMINI, Some(known)).unwrap();
    assert_eq!(
        (call.worktree.as_path(), call.cwd.as_path()),
        (known, Path::new("/srv/me/project"))
    );
    assert!(read(Format::Neutral, NEUTRAL, Some(known)).is_err());
    let call = read(
        Format::Neutral,
        r#"{"tool":"Bash","command":"git status"}"#,
        Some(known),
    )
    .unwrap();
    assert!(check(&PolicyConfig::default(), &call).is_allowed());
}
