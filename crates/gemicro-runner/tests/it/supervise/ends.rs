//! Ends that we make: silence, lateness, cancel.

use std::time::{Duration, Instant};

use gemicro_event::ErrorKind;
use gemicro_guard::sandbox::Tier;
use gemicro_runner::supervise::RunLimits;
use gemicro_runner::{AgentItem, CliSandboxMode, GeminiHeadless};

use super::processes::{asleep, marker};
use super::tiers::all_tiers;
use super::world::{DONE, HELLO, Run, Seen, World, failure};

fn limits(idle_ms: u64, total_ms: u64) -> RunLimits {
    RunLimits {
        idle: Duration::from_millis(idle_ms),
        total: Duration::from_millis(total_ms),
        grace: Duration::from_millis(300),
        ..RunLimits::default()
    }
}

#[tokio::test]
async fn silence_ends_a_run() {
    for (tier, mode) in all_tiers() {
        let marker = marker(1);
        // Noise on standard error is no life.
        let script = format!("{HELLO}\nwhile true; do echo noise >&2; sleep 0.1; done & sleep {marker}");
        let world = World::new(&script);
        let run = Run {
            mode,
            limits: limits(1000, 60_000),
            ..Run::new(tier)
        };
        let (outcome, _) = world.run(run).await;
        let (failure, record) = (failure(&outcome), &outcome.record);
        assert_eq!(failure.kind, ErrorKind::IdleTimeout, "{tier}: {outcome:?}");
        assert_eq!(record.partial_text, "hello");
        assert!(
            record.session.is_some() && record.survivors == Some(0),
            "{record:?}"
        );
        assert!(record.last_lines.iter().any(|line| line.contains("hello")));
        let detail = serde_json::to_value(failure.detail.as_ref().unwrap()).unwrap();
        assert_eq!(detail["partial_text"], "hello");
        assert!(!detail["last_lines"].as_array().unwrap().is_empty());
        assert_eq!(asleep(&marker), 0);
        assert!(record.duration_ms >= 1000 && record.duration_ms < 5000);
    }
}

#[tokio::test]
async fn a_session_that_never_opens_is_given_up_early() {
    let opening = |opening_ms| RunLimits {
        opening: Duration::from_millis(opening_ms),
        ..limits(60_000, 120_000)
    };
    let world = World::new("sleep 1000");
    let run = Run {
        limits: opening(500),
        mode: CliSandboxMode::DangerFullAccess,
        ..Run::new(Tier::None)
    };
    let (outcome, _) = world.run(run).await;
    assert_eq!(failure(&outcome).kind, ErrorKind::IdleTimeout, "{outcome:?}");
    assert!(outcome.record.untouched);

    let world = World::new(&format!("{HELLO}\nsleep 5\n{DONE}"));
    let run = Run {
        limits: opening(4000),
        mode: CliSandboxMode::DangerFullAccess,
        ..Run::new(Tier::None)
    };
    let (outcome, _) = world.run(run).await;
    assert!(outcome.result.is_ok(), "{outcome:?}");
}

#[tokio::test]
async fn output_is_life_and_the_total_still_counts() {
    for (tier, mode) in all_tiers() {
        let world = World::new(&format!("{HELLO}\nwhile true; do echo .; sleep 0.1; done"));
        let run = Run {
            mode,
            limits: limits(1000, 2000),
            ..Run::new(tier)
        };
        let (outcome, _) = world.run(run).await;
        assert_eq!(failure(&outcome).kind, ErrorKind::Timeout, "{tier}");
        assert_eq!(outcome.record.survivors, Some(0));
    }
}

/// A program that ignores every polite signal, and one that says goodbye.
#[tokio::test]
async fn polite_first_then_not() {
    for (tier, mode) in all_tiers() {
        let cases = [
            ("trap 'echo goodbye; exit 7' TERM; sleep 1000 & wait", true),
            ("trap '' TERM INT HUP; sleep 1000; sleep 1000", false),
        ];
        for (script, says_goodbye) in cases {
            let world = World::new(script);
            let run = Run {
                mode,
                limits: limits(600, 60_000),
                ..Run::new(tier)
            };
            let (outcome, _) = world.run(run).await;
            assert_eq!(failure(&outcome).kind, ErrorKind::IdleTimeout, "{tier}");
            let lines = &outcome.record.last_lines;
            assert_eq!(
                lines.contains(&"goodbye".to_owned()),
                says_goodbye,
                "{tier}: {lines:?}"
            );
            assert_eq!(outcome.record.survivors, Some(0));
            assert!(outcome.record.duration_ms < 4000, "{tier}: {:?}", outcome.record);
        }
    }
}

#[tokio::test]
async fn a_cancel_ends_a_run_in_two_seconds() {
    for (tier, mode) in all_tiers() {
        let marker = marker(2);
        let world = World::new(&format!("trap '' TERM; {HELLO}\nsleep {marker}; sleep {marker}"));
        let run = Run {
            mode,
            limits: RunLimits::default(),
            ..Run::new(tier)
        };
        let cancel = run.cancel.clone();
        let (sender, mut at) = tokio::sync::mpsc::unbounded_channel();
        let seen = Seen {
            on_item: Some(Box::new(move |item| {
                if matches!(item, AgentItem::Text { .. }) {
                    cancel.cancel();
                    sender.send(Instant::now()).unwrap();
                }
            })),
            ..Seen::default()
        };
        let cli = GeminiHeadless;
        let (outcome, _) = world.run_with(&cli, run, seen, None).await;
        let took = at.recv().await.unwrap().elapsed();
        assert_eq!(failure(&outcome).kind, ErrorKind::Cancelled, "{tier}");
        assert_eq!((outcome.record.survivors, asleep(&marker)), (Some(0), 0));
        assert!(took < Duration::from_secs(2), "{tier}: {took:?}");
    }
}

/// A CLI that can be told to stop is told, and may answer and leave by itself.
#[tokio::test]
async fn a_cancel_is_reported_first() {
    for (tier, mode) in all_tiers() {
        let world = World::bare();
        let script = r#"trap 'echo TERM >> signals' TERM
read hello; read prompt
echo '{"type":"system","subtype":"init","session_id":"11111111-2222-3333-4444-555555555555","model":"m","tools":[]}'
echo '{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"part"}]},"session_id":"11111111-2222-3333-4444-555555555555"}'
read line; echo "$line" > told"#;
        world.install("claude", script);
        let run = Run {
            mode,
            ..Run::new(tier)
        };
        let cancel = run.cancel.clone();
        let seen = Seen {
            on_item: Some(Box::new(move |item| {
                if matches!(item, AgentItem::Started { .. }) {
                    cancel.cancel();
                }
            })),
            ..Seen::default()
        };
        let (outcome, _) = world.run_claude(run, seen).await;
        assert_eq!(failure(&outcome).kind, ErrorKind::Cancelled, "{tier}");
        let report = super::world::read(world.path("wt/told"));
        assert!(report.contains("interrupt"), "{tier}: {report}");
        assert!(!world.path("wt/signals").exists(), "{tier}");
        assert_eq!(outcome.record.survivors, Some(0));
    }
}

#[tokio::test]
async fn a_run_that_was_cancelled_before_never_begins() {
    for (tier, mode) in all_tiers() {
        let world = World::new("touch began");
        let run = Run {
            mode,
            ..Run::new(tier)
        };
        run.cancel.cancel();
        let (outcome, _) = world.run(run).await;
        assert_eq!(failure(&outcome).kind, ErrorKind::Cancelled);
        assert!(outcome.record.handle.is_none() && !world.path("wt/began").exists());
    }
}

/// Whoever drops the future ends the agent too.
#[tokio::test]
async fn a_dropped_run_leaves_nothing() {
    for (tier, mode) in all_tiers() {
        let marker = marker(3);
        let world = World::new(&format!("setsid sleep {marker} & sleep {marker}"));
        let run = Run {
            mode,
            ..Run::new(tier)
        };
        let running = world.run(run);
        let started = tokio::time::timeout(Duration::from_secs(2), running).await;
        assert!(started.is_err(), "{tier}: it ended by itself");
        let gone = || asleep(&marker) == 0;
        assert!(super::processes::eventually(gone), "{tier}");
    }
}
