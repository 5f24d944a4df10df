//! Every capture against its golden file in `tests/golden`: all items, all we wrote, each judged end.
//!
//! After a wanted change: `GEMICRO_BLESS=1 cargo test -p gemicro-runner --test it captures`, and read the diff.

use std::collections::BTreeSet;
use std::fs;

use gemicro_runner::{AgentCli, ClaudeCode, Codex, GeminiAcp, GeminiHeadless, ProcessExit};

use crate::{golden, play};

/// What a capture is.
enum Played {
    /// Standard output of a process that then exited with this code.
    Exited(i32),
    /// Standard error, with nothing on standard output.
    StandardError(i32),
    /// Both sides of a warm process.
    Conversation,
}

use Played::{Conversation, Exited, StandardError};

/// Files that are no streams (help, session files, hook inputs, other formats) are played as if they were:
/// whatever a CLI prints, it is kept and judged.
const CAPTURES: &[(&str, &dyn AgentCli, Played)] = &[
    ("claude-err-http400.jsonl", &ClaudeCode, Exited(1)),
    ("claude-err-http401.jsonl", &ClaudeCode, Exited(1)),
    ("claude-err-http429.jsonl", &ClaudeCode, Exited(1)),
    ("claude-err-http529.jsonl", &ClaudeCode, Exited(1)),
    ("claude-err-max-turns.jsonl", &ClaudeCode, Exited(1)),
    ("claude-hook-pretooluse-deny.jsonl", &ClaudeCode, Exited(0)),
    ("claude-hook-pretooluse-stdin.json", &ClaudeCode, Exited(0)),
    ("claude-json.json", &ClaudeCode, Exited(0)),
    ("claude-stdio-warm-permission.jsonl", &ClaudeCode, Conversation),
    (
        "claude-stream-json-permission-denied.jsonl",
        &ClaudeCode,
        Exited(0),
    ),
    ("claude-stream-json-tools-partial.jsonl", &ClaudeCode, Exited(0)),
    ("claude-stream-json-turn1.jsonl", &ClaudeCode, Exited(0)),
    ("claude-stream-json-turn2-resume.jsonl", &ClaudeCode, Exited(0)),
    ("codex-err-http401.jsonl", &Codex, Exited(1)),
    ("codex-err-http429.jsonl", &Codex, Exited(1)),
    ("codex-err-http500.jsonl", &Codex, Exited(1)),
    ("codex-exec-tools.jsonl", &Codex, Exited(0)),
    ("codex-exec-turn1.jsonl", &Codex, Exited(0)),
    ("codex-exec-turn2-resume.jsonl", &Codex, Exited(0)),
    ("codex-rules-forbidden.jsonl", &Codex, Exited(0)),
    ("gemini-acp-fs-write-delegated.jsonl", &ACP, Conversation),
    ("gemini-acp-permission-rejected.jsonl", &ACP, Conversation),
    ("gemini-acp-policy-ask-all.jsonl", &ACP, Conversation),
    ("gemini-acp-session-load.jsonl", &ACP, Conversation),
    (
        "gemini-acp-warm-prompts-and-missing-file-bug.jsonl",
        &ACP,
        Conversation,
    ),
    ("gemini-err-empty-response.jsonl", &GEMINI, Exited(0)),
    ("gemini-err-http400-bad-key.jsonl", &GEMINI, Exited(144)),
    (
        "gemini-err-http400-json-format.stderr.txt",
        &GEMINI,
        StandardError(144),
    ),
    ("gemini-err-http403.jsonl", &GEMINI, Exited(147)),
    ("gemini-err-http404-model.jsonl", &GEMINI, Exited(1)),
    ("gemini-err-http429-daily-quota.jsonl", &GEMINI, Exited(173)),
    ("gemini-err-http429-exhausted.jsonl", &GEMINI, Exited(173)),
    ("gemini-err-http500.jsonl", &GEMINI, Exited(244)),
    ("gemini-err-max-tokens.jsonl", &GEMINI, Exited(0)),
    ("gemini-err-safety-block.jsonl", &GEMINI, Exited(0)),
    ("gemini-err-truncated-stream.jsonl", &GEMINI, Exited(1)),
    ("gemini-err-turn-limit.jsonl", &GEMINI, Exited(53)),
    ("gemini-help.txt", &GEMINI, Exited(0)),
    ("gemini-hook-beforetool-deny.jsonl", &GEMINI, Exited(0)),
    ("gemini-hook-beforetool-stop.jsonl", &GEMINI, Exited(0)),
    ("gemini-hook-stdin-all-events.jsonl", &GEMINI, Exited(0)),
    ("gemini-hung-stream-300s-then-retry.jsonl", &GEMINI, Exited(0)),
    ("gemini-json-tools-yolo.json", &GEMINI, Exited(0)),
    ("gemini-policy-allowlist-default-mode.jsonl", &GEMINI, Exited(0)),
    ("gemini-policy-deny-yolo.jsonl", &GEMINI, Exited(0)),
    ("gemini-session-file.jsonl", &GEMINI, Exited(0)),
    ("gemini-session-stub-file.jsonl", &GEMINI, Exited(0)),
    ("gemini-session-turn1.jsonl", &GEMINI, Exited(0)),
    ("gemini-session-turn2-resume.jsonl", &GEMINI, Exited(0)),
    ("gemini-stream-json-default-approval.jsonl", &GEMINI, Exited(0)),
    ("gemini-stream-json-tools-yolo.jsonl", &GEMINI, Exited(0)),
];

const GEMINI: GeminiHeadless = GeminiHeadless;
const ACP: GeminiAcp = GeminiAcp;

#[test]
fn captures_become_their_golden_items() {
    let mut wrong = Vec::new();
    for (name, cli, played) in CAPTURES {
        let text = capture(name);
        let lines = match played {
            Exited(code) => play::one_shot(*cli, ProcessExit::Code(*code), &text, ""),
            StandardError(code) => play::one_shot(*cli, ProcessExit::Code(*code), "", &text),
            Conversation => play::conversation(*cli, &text),
        };
        let golden = format!("{}.jsonl", name.split('.').next().unwrap_or(name));
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        if !golden::matches(&golden, &text) {
            wrong.push(*name);
        }
    }
    assert!(wrong.is_empty(), "differ from their golden files: {wrong:#?}");
}

#[test]
fn no_capture_is_left_out() {
    let listed: BTreeSet<String> = CAPTURES.iter().map(|(name, ..)| (*name).to_owned()).collect();
    let present: BTreeSet<String> = fs::read_dir(golden::folder("fixtures/captures"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name != "README.md")
        .collect();
    assert_eq!(listed, present);
}

/// The text of a capture.
fn capture(name: &str) -> String {
    fs::read_to_string(golden::folder("fixtures/captures").join(name)).unwrap()
}

/// What the CLIs printed line by line, for tests that cut and mix it.
pub(crate) fn streams() -> Vec<String> {
    all(|played| matches!(played, Exited(_)))
}

/// The captures of warm processes.
pub(crate) fn conversations() -> Vec<String> {
    all(|played| matches!(played, Conversation))
}

fn all(wanted: impl Fn(&Played) -> bool) -> Vec<String> {
    let found = CAPTURES.iter().filter(|(_, _, played)| wanted(played));
    found.map(|(name, ..)| capture(name)).collect()
}
