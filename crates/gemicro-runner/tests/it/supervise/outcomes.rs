//! What a run comes to when it ends by itself: recorded streams, empty ones, broken ones.

use gemicro_event::ErrorKind;
use gemicro_guard::sandbox::{CommandExit, Tier};
use gemicro_runner::{AgentItem, AgentPrompt};

use super::processes::no_zombie_stays;
use super::tiers::all_tiers;
use super::world::{DONE, HELLO, Run, Seen, World, failure, read};

fn capture(name: &str) -> String {
    let path = format!("{}/tests/fixtures/captures/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).unwrap()
}

#[tokio::test]
async fn a_recorded_run_succeeds() {
    for (tier, mode) in all_tiers() {
        let world = World::new("cat > prompt; cat stream; echo noise >&2");
        let stream = capture("gemini-stream-json-tools-yolo.jsonl");
        std::fs::write(world.path("wt/stream"), &stream).unwrap();
        let (outcome, seen) = world
            .run(Run {
                mode,
                ..Run::new(tier)
            })
            .await;
        let record = &outcome.record;
        let end = outcome
            .result
            .as_ref()
            .unwrap_or_else(|failure| panic!("{tier}: {failure:?} {record:?}"));
        assert!(!end.text.is_empty() && end.usage.is_some());
        assert_eq!(read(world.path("wt/prompt")), "hi");
        assert_eq!(record.exit, Some(CommandExit::Code(0)), "{tier}");
        assert_eq!((record.survivors, record.tier), (Some(0), Some(tier)));
        assert_eq!((&record.session, record.usage), (&end.session, end.usage));
        assert_eq!(read(record.stdout.file.as_ref().unwrap()), stream);
        assert_eq!(read(record.stderr.file.as_ref().unwrap()), "noise\n");
        assert_eq!(
            (record.stdout.n_dropped, record.stdout.n_bytes),
            (0, stream.len() as u64)
        );
        assert!(record.last_lines.len() <= 20 && record.last_lines.last().unwrap() == "noise");
        assert!(record.first_output_ms.is_some() && seen.handle == record.handle);
        let said: String = seen
            .items
            .iter()
            .filter_map(|item| match item {
                AgentItem::Text { text } => Some(text.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(said, record.partial_text);
    }
    no_zombie_stays().await;
}

#[tokio::test]
async fn ends_without_an_answer_are_failures() {
    let cases = [
        ("exit 0", ErrorKind::EmptyResult, CommandExit::Code(0)),
        (HELLO, ErrorKind::TruncatedOutput, CommandExit::Code(0)),
        ("exit 3", ErrorKind::UpstreamError, CommandExit::Code(3)),
        ("exit 41", ErrorKind::AuthFailed, CommandExit::Code(41)),
        ("kill -SEGV $$", ErrorKind::UpstreamError, CommandExit::Signal(11)),
        ("kill -KILL $$", ErrorKind::UpstreamError, CommandExit::Signal(9)),
    ];
    for (tier, mode) in all_tiers() {
        for (script, kind, exit) in cases {
            let world = World::new(&format!("echo before >&2\n{script}"));
            let (outcome, _) = world
                .run(Run {
                    mode,
                    ..Run::new(tier)
                })
                .await;
            let found = (
                failure(&outcome).kind,
                outcome.record.exit,
                outcome.record.survivors,
            );
            assert_eq!(found, (kind, Some(exit), Some(0)), "{tier} {script}: {outcome:?}");
            assert!(outcome.record.last_lines.contains(&"before".to_owned()));
        }
    }
}

#[tokio::test]
async fn bytes_that_are_not_text_do_no_harm() {
    for (tier, mode) in all_tiers() {
        let script = format!("printf 'a\\xff\\xc3\\n'; printf '\\xf0\\x9f' >&2\n{HELLO}{DONE}");
        let world = World::new(&script);
        let (outcome, seen) = world
            .run(Run {
                mode,
                ..Run::new(tier)
            })
            .await;
        assert_eq!(outcome.result.as_ref().unwrap().text, "hello", "{tier}");
        assert!(read(outcome.record.stdout.file.unwrap()).starts_with("a\u{fffd}\u{fffd}\n"));
        assert_eq!(read(outcome.record.stderr.file.unwrap()), "\u{fffd}");
        let is_alarm =
            |item: &AgentItem| matches!(item, AgentItem::Alarm { kind, .. } if kind == "invalid_utf8");
        assert!(seen.items.iter().any(is_alarm));
    }
}

/// The agent never reads, or reads and closes: a prompt that does not fit the pipe must not hold anybody up.
#[tokio::test]
async fn an_agent_need_not_read() {
    for (tier, mode) in all_tiers() {
        for reading in ["", "exec 0<&-;", "head -c 1 > /dev/null;"] {
            let world = World::new(&format!("{reading} sleep 0.2; {HELLO}{DONE}"));
            let run = Run {
                mode,
                prompt: AgentPrompt::user("x".repeat(4 << 20)),
                ..Run::new(tier)
            };
            let (outcome, _) = world.run(run).await;
            assert_eq!(outcome.result.unwrap().text, "hello", "{tier} {reading}");
        }
        let world = World::new(&format!("wc -c > count; {HELLO}{DONE}"));
        let run = Run {
            mode,
            prompt: AgentPrompt::user("x".repeat(4 << 20)),
            ..Run::new(tier)
        };
        let (outcome, _) = world.run(run).await;
        assert!(outcome.result.is_ok(), "{tier}");
        assert_eq!(read(world.path("wt/count")).trim(), (4 << 20).to_string());
    }
}

/// A process that says how its turn ended and then stays is no failure.
#[tokio::test]
async fn an_agent_that_does_not_leave_has_still_answered() {
    for (tier, mode) in all_tiers() {
        let world = World::new(&format!("{HELLO}{DONE}\nsleep 1000"));
        let (outcome, _) = world
            .run(Run {
                mode,
                ..Run::new(tier)
            })
            .await;
        assert_eq!(outcome.result.as_ref().unwrap().text, "hello", "{tier}");
        assert_eq!(outcome.record.survivors, Some(0));
        assert!(outcome.record.duration_ms < 10_000);
    }
}

#[tokio::test]
async fn secrets_are_kept_nowhere() {
    let secret = "hunter2-very-secret-value";
    for (tier, mode) in all_tiers() {
        // In two writes, on both streams, and in what the agent says.
        let script = r#"printf 'hunter2-very-'; printf 'hunter2-very-' >&2; sleep 0.2; echo 'secret-value'; echo 'secret-value' >&2
echo '{"type":"init","timestamp":"t","session_id":"11111111-2222-3333-4444-555555555555","model":"m"}'
echo '{"type":"message","timestamp":"t","role":"assistant","content":"it is hunter2-very-","delta":true}'
echo '{"type":"message","timestamp":"t","role":"assistant","content":"secret-value.","delta":true}'
exit 3"#;
        let world = World::new(script);
        let run = Run {
            mode,
            secrets: vec![secret.to_owned()],
            ..Run::new(tier)
        };
        let (outcome, seen) = world.run(run).await;
        let files = [&outcome.record.stdout, &outcome.record.stderr]
            .map(|stream| read(stream.file.as_ref().unwrap()));
        let said: String = seen
            .items
            .iter()
            .map(|item| serde_json::to_string(item).unwrap())
            .collect();
        // Two events that hold one half each stay two halves in the raw stream; nowhere else.
        let everything = format!("{outcome:?} {said} {files:?}");
        assert!(!everything.contains(secret), "{tier}: {everything}");
        assert!(
            !said.contains("secret-value") && files[1] == "***\n",
            "{tier}: {said}"
        );
        assert!(files[0].starts_with("***\n"), "{}", files[0]);
        assert_eq!(outcome.record.partial_text, "it is ***.");
    }
}

/// A conversation with a CLI that asks: answered through the watcher, and the rest of the capture follows.
#[tokio::test]
async fn permissions_are_answered() {
    for (allows, expected) in [(false, "deny"), (true, "allow")] {
        for (tier, mode) in all_tiers() {
            let world = World::bare();
            let script = r#"read hello; read prompt; echo "$prompt" > prompt
echo '{"type":"system","subtype":"init","session_id":"11111111-2222-3333-4444-555555555555","model":"m","tools":[]}'
echo '{"type":"control_request","request_id":"r1","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"ls"}}}'
read answer; echo "$answer" > answer
echo '{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"done"}]},"session_id":"11111111-2222-3333-4444-555555555555"}'
echo '{"type":"result","subtype":"success","is_error":false,"duration_ms":1,"num_turns":1,"result":"done","session_id":"11111111-2222-3333-4444-555555555555","total_cost_usd":0.1,"usage":{"input_tokens":1,"output_tokens":1}}'
cat > rest"#;
            world.install("claude", script);
            let seen = Seen {
                allows,
                ..Seen::default()
            };
            let run = Run {
                mode,
                ..Run::new(tier)
            };
            let (outcome, seen) = world.run_claude(run, seen).await;
            assert_eq!(
                outcome.result.as_ref().unwrap().text,
                "done",
                "{tier}: {outcome:?}"
            );
            assert_eq!(seen.asked, ["Bash"]);
            let answer = read(world.path("wt/answer"));
            assert!(answer.contains(expected), "{tier}: {answer}");
            let prompt = read(world.path("wt/prompt"));
            assert!(prompt.contains("hi"), "{tier}: {prompt}");
            // It read to the end: the input was closed when the turn was over.
            assert_eq!(outcome.record.exit, Some(CommandExit::Code(0)), "{tier}");
        }
    }
}

#[tokio::test]
async fn what_the_gateway_saw_wins() {
    let world = World::new(&format!("{HELLO}{DONE}"));
    let seen = Seen {
        upstream: Some(ErrorKind::Blocked),
        ..Seen::default()
    };
    let run = Run {
        mode: gemicro_runner::CliSandboxMode::DangerFullAccess,
        ..Run::new(Tier::None)
    };
    let cli = gemicro_runner::GeminiHeadless;
    let (outcome, _) = world.run_with(&cli, run, seen, None).await;
    assert_eq!(failure(&outcome).kind, ErrorKind::Blocked);
}
