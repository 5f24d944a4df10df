//! Ends that no capture shows: each as a small stream, an exit and what it is judged to be.

use gemicro_event::ErrorKind;
use gemicro_runner::{
    AgentCli, ClaudeCode, Codex, GeminiHeadless, ProcessEnd, ProcessExit, Session, TurnTranscript,
};

use crate::requests::{ended, items};

const GEMINI: GeminiHeadless = GeminiHeadless;
const SAID: &str = r#"{"type":"message","role":"assistant","content":"hello","delta":true}"#;
const OK: &str = r#"{"type":"result","status":"success","stats":{}}"#;

/// Judges a stream; `Ok` stands for success.
fn kind(cli: &dyn AgentCli, lines: &[&str], exit: ProcessExit) -> Result<String, ErrorKind> {
    kind_with(cli, lines, exit, "", &Session::New)
}

fn kind_with(
    cli: &dyn AgentCli,
    lines: &[&str],
    exit: ProcessExit,
    stderr_tail: &str,
    session: &Session,
) -> Result<String, ErrorKind> {
    let transcript = TurnTranscript::of(&items(cli, lines.join("\n").as_bytes()));
    let judged = cli.judge(&ProcessEnd {
        stderr_tail,
        session,
        ..ended(exit, &transcript)
    });
    judged.map(|end| end.text).map_err(|failure| failure.kind)
}

#[test]
fn success_needs_content_and_a_proper_end() {
    assert_eq!(
        kind(&GEMINI, &[SAID, OK], ProcessExit::Code(0)),
        Ok("hello".to_owned())
    );
    assert_eq!(
        kind(&GEMINI, &[SAID], ProcessExit::Code(0)),
        Err(ErrorKind::TruncatedOutput)
    );
    assert_eq!(
        kind(&GEMINI, &[OK], ProcessExit::Code(0)),
        Err(ErrorKind::EmptyResult)
    );
    assert_eq!(
        kind(&GEMINI, &[], ProcessExit::Code(0)),
        Err(ErrorKind::EmptyResult)
    );
    assert_eq!(
        kind(&GEMINI, &["Hello, I am text."], ProcessExit::Code(0)),
        Err(ErrorKind::EmptyResult)
    );
    assert_eq!(
        kind(&GEMINI, &[SAID, OK], ProcessExit::Code(1)),
        Err(ErrorKind::UpstreamError)
    );
    assert_eq!(
        kind(&GEMINI, &[SAID, OK], ProcessExit::Signal(9)),
        Err(ErrorKind::UpstreamError)
    );
    let blank = SAID.replace("hello", " \\n ");
    assert_eq!(
        kind(&GEMINI, &[&blank, OK], ProcessExit::Code(0)),
        Err(ErrorKind::EmptyResult)
    );
}

#[test]
fn a_terminal_error_is_no_answer() {
    let said = SAID.replace("hello", "Error: stdin is not a terminal");
    assert_eq!(
        kind(&GEMINI, &[&said, OK], ProcessExit::Code(0)),
        Err(ErrorKind::MalformedOutput)
    );
}

#[test]
fn an_exit_is_reported_with_the_last_line_of_stderr() {
    let judged = |stderr_tail: &str, lines: &str, code: i32| {
        let transcript = TurnTranscript::of(&items(&GEMINI, lines.as_bytes()));
        let ended = ProcessEnd {
            stderr_tail,
            ..ended(ProcessExit::Code(code), &transcript)
        };
        GEMINI.judge(&ended).unwrap_err().message
    };
    let message_of = |stderr_tail: &str| judged(stderr_tail, "", 9);
    assert!(message_of("").ends_with("exited with 9"), "{}", message_of(""));
    let words = "warning: old\n  Error: no such model  \n\n \n";
    assert!(
        message_of(words).ends_with("exited with 9: Error: no such model"),
        "{}",
        message_of(words)
    );
    let long = message_of(&"x".repeat(10_000));
    assert!((200..1_000).contains(&long.len()), "{}", long.len());
    // What the stream says of its end goes first.
    let ended = judged(words, &format!("{SAID}\n{OK}"), 9);
    assert!(!ended.contains("no such model"), "{ended}");
}

#[test]
fn our_own_stops_keep_their_kind_text_and_last_lines() {
    for stop in [ErrorKind::IdleTimeout, ErrorKind::Timeout, ErrorKind::Cancelled] {
        let transcript = TurnTranscript::of(&items(&GEMINI, format!("{SAID}\nodd line\n").as_bytes()));
        let failure = GEMINI
            .judge(&ProcessEnd {
                stderr_tail: "noise\nlast words\n",
                ..ended(ProcessExit::Stopped(stop), &transcript)
            })
            .unwrap_err();
        assert_eq!(failure.kind, stop);
        let detail = failure.detail.unwrap();
        assert_eq!(detail["partial_text"], "hello");
        assert_eq!(
            detail["last_lines"],
            serde_json::json!(["odd line", "noise", "last words"])
        );
    }
}

#[test]
fn the_gateway_knows_better() {
    let transcript = TurnTranscript::of(&items(&GEMINI, format!("{SAID}\n{OK}\n").as_bytes()));
    for upstream in [ErrorKind::TruncatedOutput, ErrorKind::Blocked] {
        let failure = GEMINI
            .judge(&ProcessEnd {
                upstream: Some(upstream),
                ..ended(ProcessExit::Code(0), &transcript)
            })
            .unwrap_err();
        assert_eq!(failure.kind, upstream);
    }
    let failed = TurnTranscript::of(&items(
        &Codex,
        br#"{"type":"turn.failed","error":{"message":"odd"}}"#,
    ));
    let failure = Codex
        .judge(&ProcessEnd {
            upstream: Some(ErrorKind::BudgetExceeded),
            ..ended(ProcessExit::Code(1), &failed)
        })
        .unwrap_err();
    assert_eq!(failure.kind, ErrorKind::BudgetExceeded);
}

#[test]
fn exit_codes_of_gemini() {
    let id = "abc".parse().unwrap();
    let resumed = Session::Resume(id);
    let named = Session::NewNamed("abc".parse().unwrap());
    let cases = [
        (41, &Session::New, ErrorKind::AuthFailed),
        (42, &Session::New, ErrorKind::InvalidInput),
        (42, &resumed, ErrorKind::SessionNotFound),
        (42, &named, ErrorKind::Conflict),
        (44, &Session::New, ErrorKind::SandboxUnavailable),
        (52, &Session::New, ErrorKind::InvalidInput),
        (53, &Session::New, ErrorKind::BudgetExceeded),
        (54, &Session::New, ErrorKind::UpstreamError),
        (55, &Session::New, ErrorKind::PermissionDenied),
        (127, &Session::New, ErrorKind::CommandNotFound),
        (126, &Session::New, ErrorKind::PermissionDenied),
        (130, &Session::New, ErrorKind::Cancelled),
        (143, &Session::New, ErrorKind::UpstreamError),
        (145, &Session::New, ErrorKind::AuthFailed),
        (147, &Session::New, ErrorKind::AuthFailed),
        (173, &Session::New, ErrorKind::RateLimited),
        (247, &Session::New, ErrorKind::UpstreamError),
        (1, &Session::New, ErrorKind::UpstreamError),
    ];
    for (code, session, expected) in cases {
        let judged = kind_with(&GEMINI, &[], ProcessExit::Code(code), "", session);
        assert_eq!(judged, Err(expected), "exit {code}");
    }
}

#[test]
fn lost_sessions_of_the_others() {
    let resumed = Session::Resume("abc".parse().unwrap());
    let claude = "No conversation found with session ID: abc\n";
    let judged = kind_with(&ClaudeCode, &[], ProcessExit::Code(1), claude, &resumed);
    assert_eq!(judged, Err(ErrorKind::SessionNotFound));
    let result_line = r#"{"type":"result","subtype":"error_during_execution","is_error":true,"num_turns":0,"stop_reason":null,"errors":["No conversation found with session ID: abc"]}"#;
    let judged = kind_with(
        &ClaudeCode,
        &[result_line],
        ProcessExit::Code(1),
        claude,
        &resumed,
    );
    assert_eq!(judged, Err(ErrorKind::SessionNotFound));
    let taken = "Error: Session ID abc is already in use.\n";
    let judged = kind_with(&ClaudeCode, &[], ProcessExit::Code(1), taken, &Session::New);
    assert_eq!(judged, Err(ErrorKind::Conflict));
    let judged = kind_with(
        &Codex,
        &[],
        ProcessExit::Code(1),
        "Error: no rollout found\n",
        &resumed,
    );
    assert_eq!(judged, Err(ErrorKind::SessionNotFound));
    let judged = kind_with(
        &Codex,
        &[],
        ProcessExit::Code(2),
        "error: unexpected argument\n",
        &Session::New,
    );
    assert_eq!(judged, Err(ErrorKind::Internal));
}

#[test]
fn limits_become_waits() {
    let wait = |cli: &dyn AgentCli, line: &str| {
        let transcript = TurnTranscript::of(&items(cli, line.as_bytes()));
        let failure = cli.judge(&ended(ProcessExit::Code(1), &transcript)).unwrap_err();
        (failure.kind, failure.retry_after_ms)
    };
    let claude = r#"{"type":"result","subtype":"success","is_error":true,"result":"You've hit your limit · resets 3am (UTC)"}"#;
    assert_eq!(
        wait(&ClaudeCode, claude),
        (ErrorKind::QuotaExhausted, Some(9_000_000))
    );
    let codex = r#"{"type":"turn.failed","error":{"message":"You've hit your usage limit. Upgrade or try again in 1 hour 30 minutes."}}"#;
    assert_eq!(wait(&Codex, codex), (ErrorKind::QuotaExhausted, Some(5_400_000)));
    let gemini = r#"{"type":"result","status":"error","error":{"type":"unknown","message":"[API Error: {\"error\":{\"code\":429,\"message\":\"Resource exhausted\",\"details\":[{\"retryDelay\":\"35s\"}]}}]"}}"#;
    assert_eq!(wait(&GEMINI, gemini), (ErrorKind::RateLimited, Some(35_000)));
}
