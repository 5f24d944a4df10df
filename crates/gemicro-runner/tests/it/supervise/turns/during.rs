//! What a turn of a warm process is, and which ends of a turn the process outlives.

use std::time::{Duration, Instant};

use gemicro_event::ErrorKind;
use gemicro_event::redact::{MASK, Redactor};
use gemicro_runner::supervise::{AgentTurn, RunLimits};
use gemicro_runner::{AgentItem, AgentPrompt, ClaudeCode, GeminiHeadless};

use super::fake::{run, runs, text, warm, warm_in, world};
use crate::supervise::tiers::tiers;
use crate::supervise::world::{DONE, HELLO, Run, Seen, World, failure, read};

#[tokio::test]
async fn each_turn_counts_for_itself() {
    let world = world();
    let mut agent = warm(&world).await;
    for (number, (prompt, n_tool_calls)) in [("say one", 0), ("use two", 1), ("say three", 0)]
        .iter()
        .enumerate()
    {
        let mut seen = Seen::default();
        let (outcome, warm) = agent.turn(world.turn(prompt), &mut seen).await;
        agent = warm.unwrap();
        let (_, word) = prompt.split_once(' ').unwrap();
        let record = &outcome.record;
        assert_eq!((text(&outcome), record.partial_text.as_str()), (word, word));
        assert!(!record.untouched && record.exit.is_none() && record.survivors.is_none());
        assert_eq!((record.handle.as_ref(), record.start_ms), (agent.handle(), 0));
        assert_eq!(
            (seen.handle.as_ref(), record.tier),
            (agent.handle(), Some(agent.tier()))
        );
        assert_eq!(record.session.as_ref(), agent.session());
        // What the turn printed, and no more, is in a file of its own.
        let printed = read(record.stdout.file.as_ref().unwrap());
        assert_eq!(printed.matches(r#""type": "result""#).count(), 1, "{printed}");
        let end = outcome.result.unwrap();
        assert_eq!(end.n_tool_calls, *n_tool_calls);
        assert_eq!(end.usage.unwrap().input_tokens, 10 * (number as u64 + 2));
        // The CLI told the sum of all turns.
        assert_eq!(end.cost_micro_usd, Some(500_000));
    }
    assert_eq!(agent.close().await, Some(0));
}

#[tokio::test]
async fn a_turn_that_failed_leaves_a_process_that_works() {
    let world = world();
    let mut agent = warm(&world).await;
    for (prompt, kind) in [
        ("fail", ErrorKind::RateLimited),
        ("empty", ErrorKind::EmptyResult),
    ] {
        let (outcome, warm) = agent.turn(world.turn(prompt), &mut ()).await;
        assert_eq!(failure(&outcome).kind, kind, "{outcome:#?}");
        // It was told to the end: whether to try again is another question.
        assert!(!outcome.record.untouched);
        agent = warm.unwrap();
    }
    let mut seen = Seen {
        upstream: Some(ErrorKind::TruncatedOutput),
        ..Seen::default()
    };
    let (outcome, agent) = agent.turn(world.turn("say half"), &mut seen).await;
    assert_eq!(failure(&outcome).kind, ErrorKind::TruncatedOutput);
    let (outcome, _) = agent.unwrap().turn(world.turn("say whole"), &mut ()).await;
    assert_eq!(text(&outcome), "whole");
}

#[tokio::test]
async fn a_turn_that_cannot_begin_costs_nothing() {
    let world = world();
    let agent = warm(&world).await;
    let turn = world.turn("say no");
    turn.cancel.cancel();
    let mut nobody = ();
    // Whoever keeps many of them has tasks of its own.
    let turn: Box<dyn Future<Output = _> + Send> = Box::new(agent.turn(turn, &mut nobody));
    let (outcome, agent) = Box::into_pin(turn).await;
    assert_eq!(failure(&outcome).kind, ErrorKind::Cancelled);
    assert!(outcome.record.untouched);
    let empty = AgentTurn {
        prompt: AgentPrompt::user("  "),
        ..world.turn("")
    };
    let spool = empty.spool.clone();
    let (outcome, agent) = agent.unwrap().turn(empty, &mut ()).await;
    assert_eq!(failure(&outcome).kind, ErrorKind::InvalidInput);
    let turn = || AgentTurn {
        spool: spool.clone(),
        ..world.turn("say yes")
    };
    let (outcome, agent) = agent.unwrap().turn(turn(), &mut ()).await;
    assert_eq!(text(&outcome), "yes");
    assert_eq!(outcome.record.stderr.file, None, "it said nothing there");
    // Its file is that of another turn.
    let (outcome, agent) = agent.unwrap().turn(turn(), &mut ()).await;
    assert_eq!(failure(&outcome).kind, ErrorKind::StorageError);
    assert!(outcome.record.untouched && agent.is_some());
}

#[tokio::test]
async fn a_death_says_whether_anything_was_done() {
    for run in runs() {
        let tier = run.tier;
        for (prompt, is_untouched, partial) in [("die", true, ""), ("break off", false, "off")] {
            let world = world();
            let run = Run {
                mode: run.mode,
                ..Run::new(tier)
            };
            let agent = warm_in(&world, run).await;
            let (outcome, gone) = agent.turn(world.turn(prompt), &mut ()).await;
            let record = &outcome.record;
            failure(&outcome);
            assert_eq!(
                (record.untouched, record.partial_text.as_str()),
                (is_untouched, partial),
                "{tier}"
            );
            assert!(
                gone.is_none() && record.survivors == Some(0),
                "{tier}: {record:?}"
            );
        }
    }
}

#[tokio::test]
async fn silence_and_lateness_end_the_process() {
    let short = Duration::from_millis(300);
    for (idle, total, kind) in [
        (short, Duration::from_secs(60), ErrorKind::IdleTimeout),
        (Duration::from_secs(60), short, ErrorKind::Timeout),
    ] {
        let world = world();
        let agent = warm(&world).await;
        let turn = world.turn("hang");
        let limits = RunLimits {
            idle,
            total,
            ..turn.limits
        };
        let (outcome, gone) = agent.turn(AgentTurn { limits, ..turn }, &mut ()).await;
        assert_eq!(failure(&outcome).kind, kind);
        assert!(gone.is_none() && outcome.record.survivors == Some(0));
    }
}

/// One that is told to stop and does so stays; one that does not listen is ended.
#[tokio::test]
async fn a_cancel_keeps_a_process_that_answers_it() {
    for (prompt, stays) in [("hang", true), ("deaf", false)] {
        let world = world();
        let agent = warm(&world).await;
        let turn = AgentTurn {
            limits: RunLimits::default(),
            ..world.turn(prompt)
        };
        let cancel = turn.cancel.clone();
        let mut seen = Seen {
            on_item: Some(Box::new(move |item| {
                if matches!(item, AgentItem::Started { .. }) {
                    cancel.cancel();
                }
            })),
            ..Seen::default()
        };
        let began = Instant::now();
        let (outcome, agent) = agent.turn(turn, &mut seen).await;
        assert_eq!(failure(&outcome).kind, ErrorKind::Cancelled, "{prompt}");
        assert!(began.elapsed() < Duration::from_secs(2), "{prompt}");
        assert_eq!(agent.is_some(), stays, "{prompt}");
        assert_eq!(outcome.record.survivors, (!stays).then_some(0), "{prompt}");
        if let Some(agent) = agent {
            let (outcome, _) = agent.turn(world.turn("say again"), &mut ()).await;
            assert_eq!(text(&outcome), "again");
        }
    }
}

#[tokio::test]
async fn secrets_are_those_of_the_turn() {
    let world = world();
    let agent = warm(&world).await;
    let secret = "correct-horse-battery-staple";
    let prompt = format!("say the {secret} is here");
    let turn = AgentTurn {
        redactor: Redactor::new([secret]),
        ..world.turn(&prompt)
    };
    let (outcome, agent) = agent.turn(turn, &mut ()).await;
    assert_eq!(text(&outcome), format!("the {MASK} is here"));
    let file = outcome.record.stdout.file.unwrap();
    assert!(!read(file).contains(secret));
    let (outcome, _) = agent.unwrap().turn(world.turn(&prompt), &mut ()).await;
    assert!(text(&outcome).contains(secret));
}

#[tokio::test]
async fn the_gateway_stays_the_same() {
    let world = world();
    let run = Run {
        has_gateway: true,
        prompt: AgentPrompt::user("get it"),
        ..run()
    };
    let mut seen = Seen {
        serves: Some("the gateway's answer"),
        ..Seen::default()
    };
    let (outcome, agent) = world.warm(&ClaudeCode, run, &mut seen).await;
    assert_eq!(text(&outcome), "the gateway's answer");
    let (outcome, agent) = agent.unwrap().turn(world.turn("get it"), &mut seen).await;
    assert_eq!((text(&outcome), seen.n_listeners), ("the gateway's answer", 1));
    assert_eq!(
        outcome.record.reach,
        Some(gemicro_guard::sandbox::NetworkReach::Gateway)
    );
    assert!(agent.is_some());
}

#[tokio::test]
async fn a_cli_of_one_prompt_does_not_stay() {
    let world = World::new(&format!("{HELLO}{DONE}"));
    let cli = GeminiHeadless;
    let (outcome, agent) = world.warm(&cli, Run::new(tiers()[0]), &mut Seen::default()).await;
    assert_eq!(text(&outcome), "hello");
    assert!(agent.is_none() && outcome.record.survivors == Some(0));
}
