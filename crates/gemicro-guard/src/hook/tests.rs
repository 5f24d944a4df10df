//! Requests as the CLIs really sent them, and the answers they understand.

use std::path::Path;

use serde_json::{Value, json};

use super::{EXIT_DENY, HookError, HookFormat, HookRequest, answer, judge, refusal};
use crate::policy::{GuardedCall, PolicyConfig, PolicyDecision, check};

const GEMINI: &str = r#"{"session_id":"ca34879b","transcript_path":"/srv/user/.gemini/tmp/project/chats/s.jsonl",
 "cwd":"/srv/me/project","hook_event_name":"BeforeTool","timestamp":"2026-11-15T00:13:32.983Z",
 "tool_name":"run_shell_command","tool_input":{"command":"git checkout -b evil"}}"#;
const CLAUDE: &str = r#"{"session_id":"fbffa4e5","transcript_path":"/srv/user/.claude/projects/-work-project/f.jsonl",
 "cwd":"/srv/me/project","prompt_id":"83af04ad","permission_mode":"bypassPermissions","effort":{"level":"high"},
 "hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"git checkout -b evil","description":"d"},
 "tool_use_id":"toolu_000016_0"}"#;
/// By the schema `pre-tool-use.command.input` in the program of Codex 0.166.0.
const CODEX: &str = r#"{"session_id":"0193-01","turn_id":"1","transcript_path":null,"cwd":"/srv/me/project",
 "hook_event_name":"PreToolUse","model":"gpt-5.2-codex","permission_mode":"bypassPermissions","tool_name":"Bash",
 "tool_input":{"command":"git checkout -b evil"},"tool_use_id":"call_1"}"#;
const NEUTRAL: &str = r#"{"tool":"Bash","command":"git checkout -b evil","cwd":"/srv/me/project","worktree":"/srv/me/project"}"#;
const MESSAGE: &str = "Permission Denied: git_subcommand (git checkout -b evil): \
    stay on your branch; to undo a change, edit the file again and commit";

fn read(format: HookFormat, text: &str, worktree: Option<&Path>) -> Result<GuardedCall, HookError> {
    HookRequest::parse(text)?.call(format, worktree)
}

fn decide(format: HookFormat, text: &str) -> PolicyDecision {
    check(&PolicyConfig::default(), &read(format, text, None).unwrap())
}

fn body(format: HookFormat, decision: &PolicyDecision) -> Value {
    let answer = answer(format, decision);
    assert_eq!((answer.exit_code, answer.stderr.as_str()), (0, ""));
    assert!(!answer.stdout.contains('\n'));
    serde_json::from_str(&answer.stdout).unwrap()
}

#[test]
fn denials_in_every_format() {
    let expected = [
        (
            HookFormat::Gemini,
            GEMINI,
            json!({"decision": "deny", "reason": MESSAGE}),
        ),
        (
            HookFormat::Claude,
            CLAUDE,
            json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny",
                "permissionDecisionReason": MESSAGE}}),
        ),
        (
            HookFormat::Codex,
            CODEX,
            json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny",
                "permissionDecisionReason": MESSAGE}}),
        ),
        (
            HookFormat::Neutral,
            NEUTRAL,
            json!({"decision": "deny", "rule": "git_subcommand", "segment": "git checkout -b evil",
                "hint": "stay on your branch; to undo a change, edit the file again and commit"}),
        ),
    ];
    for (format, request, expected) in expected {
        assert_eq!(body(format, &decide(format, request)), expected);
    }
}

#[test]
fn allowing_leaves_the_cli_its_own_rules() {
    for (format, request) in [
        (HookFormat::Gemini, GEMINI),
        (HookFormat::Claude, CLAUDE),
        (HookFormat::Codex, CODEX),
    ] {
        let request = request.replace("checkout -b evil", "status");
        assert_eq!(body(format, &decide(format, &request)), json!({}));
    }
    let request = NEUTRAL.replace("checkout -b evil", "status");
    let expected = json!({"decision": "allow", "rule": null, "segment": null, "hint": null});
    assert_eq!(
        body(HookFormat::Neutral, &decide(HookFormat::Neutral, &request)),
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
        let error = read(HookFormat::Gemini, text, None).unwrap_err();
        let answer = refusal(HookFormat::Gemini, &error);
        assert_eq!(answer.exit_code, EXIT_DENY);
        assert!(answer.stderr.starts_with("Permission Denied: "), "{answer:?}");
        assert!(answer.stdout.contains("deny"));
    }
    for text in [
        r#"{"tool":"Bash","command":"ls","args":{"command":"git push"},"worktree":"/x"}"#,
        r#"{"tool":"Bash","command":"ls"}"#,
        r#"{"command":"ls","worktree":"/x"}"#,
    ] {
        assert!(read(HookFormat::Neutral, text, None).is_err(), "{text}");
    }
}

#[test]
fn a_request_does_not_choose_the_worktree() {
    let known = Path::new("/task/wt");
    let call = read(HookFormat::Gemini, GEMINI, Some(known)).unwrap();
    assert_eq!(
        (call.worktree.as_path(), call.cwd.as_path()),
        (known, Path::new("/srv/me/project"))
    );
    assert!(read(HookFormat::Neutral, NEUTRAL, Some(known)).is_err());
    let call = read(
        HookFormat::Neutral,
        r#"{"tool":"Bash","command":"git status"}"#,
        Some(known),
    )
    .unwrap();
    assert!(check(&PolicyConfig::default(), &call).is_allowed());
}

#[test]
fn without_a_format_the_request_reports_it() {
    for (request, format) in [
        (GEMINI, HookFormat::Gemini),
        (CLAUDE, HookFormat::Claude),
        (CODEX, HookFormat::Claude),
        (NEUTRAL, HookFormat::Neutral),
    ] {
        assert_eq!(HookRequest::parse(request).unwrap().format(), format);
        let judged = judge(&PolicyConfig::default(), None, request, None);
        assert_eq!(judged, answer(format, &decide(format, request)));
    }
    // A hook for another event is no neutral request either.
    let other = GEMINI.replace("BeforeTool", "AfterTool");
    assert_eq!(
        judge(&PolicyConfig::default(), None, &other, None).exit_code,
        EXIT_DENY
    );
}

#[test]
fn a_patch_of_codex_names_its_files() {
    let patch = |path: &str| {
        let text = format!("*** Begin Patch\n*** Add File: {path}\n+x\n*** End Patch");
        let request = json!({"session_id": "s", "turn_id": "1", "transcript_path": null, "cwd": "/srv/me/project",
            "hook_event_name": "PreToolUse", "model": "m", "permission_mode": "default", "tool_name": "apply_patch",
            "tool_input": {"command": text}, "tool_use_id": "c"});
        decide(HookFormat::Codex, &request.to_string()).is_allowed()
    };
    assert!(patch("src/new.rs"));
    assert!(!patch("../new.rs"));
    assert!(!patch(".git/hooks/pre-commit"));
}

#[test]
fn faults_end_with_the_exit_code_that_every_cli_obeys() {
    let too_large = refusal(HookFormat::Neutral, &HookError::TooLarge { limit: 7 });
    assert_eq!(
        (too_large.exit_code, too_large.stderr.as_str()),
        (
            EXIT_DENY,
            "Permission Denied: too_large (request): the request is longer than 7 bytes"
        )
    );
    let fault = crate::policy::Denial::new(crate::policy::PolicyRule::Internal, "x", "y");
    let answered = answer(HookFormat::Claude, &PolicyDecision::Deny(fault));
    assert_eq!(
        (answered.exit_code, answered.stderr.as_str()),
        (EXIT_DENY, "Permission Denied: internal (x): y")
    );
}
