//! What may happen to a process between two turns.

use std::time::Duration;

use gemicro_event::ErrorKind;
use gemicro_runner::supervise::{WarmAgent, still_running};
use tokio::time::timeout;

use super::fake::{runs, text, warm, warm_in, world};
use crate::supervise::processes::{SOON, asleep, is_alone, marker, private_kib, until};
use crate::supervise::world::{Run, World, failure};

/// One more turn that must succeed.
async fn say(world: &World, agent: WarmAgent, prompt: &str) -> WarmAgent {
    let (outcome, agent) = agent.turn(world.turn(prompt), &mut ()).await;
    text(&outcome);
    agent.unwrap()
}

#[tokio::test]
async fn one_that_is_fit_is_not_spoiled() {
    let world = world();
    let mut agent = warm(&world).await;
    let wait = timeout(Duration::from_millis(200), agent.wait_until_unfit()).await;
    assert!(wait.is_err());
    let mut agent = say(&world, agent, "leave now").await;
    std::fs::write(world.path("wt/go"), "").unwrap();
    // Given up once, it can be waited for again.
    let _ = timeout(Duration::ZERO, agent.wait_until_unfit()).await;
    timeout(SOON, agent.wait_until_unfit()).await.unwrap();
    timeout(SOON, agent.wait_until_unfit()).await.unwrap();
}

/// It left, or it speaks although nobody asked: the next prompt is not said to it.
#[tokio::test]
async fn one_that_is_not_fit_gets_no_prompt() {
    for (prompt, reason) in [
        ("leave now", "exit code 4"),
        ("babble on", "unexpected output"),
        ("mutter on", "unexpected output"),
    ] {
        let world = world();
        let agent = warm(&world).await;
        let mut agent = say(&world, agent, prompt).await;
        std::fs::write(world.path("wt/go"), "").unwrap();
        timeout(SOON, agent.wait_until_unfit()).await.unwrap();
        let turn = world.turn("say never");
        let spool = turn.spool.clone();
        let (outcome, gone) = agent.turn(turn, &mut ()).await;
        let failure = failure(&outcome);
        assert_eq!(failure.kind, ErrorKind::UpstreamError);
        assert!(failure.message.contains(reason), "{prompt}: {}", failure.message);
        assert!(gone.is_none() && outcome.record.untouched && !spool.with_extension("stdout.log").exists());
        assert_eq!(outcome.record.survivors, Some(0), "{prompt}");
    }
}

/// One that goes on speaking right after its end has answered, and does not stay.
#[tokio::test]
async fn one_that_blurts_out_does_not_stay() {
    let world = world();
    let agent = warm(&world).await;
    let (outcome, gone) = agent.turn(world.turn("blurt it"), &mut ()).await;
    assert_eq!(text(&outcome), "it");
    assert!(gone.is_none() && outcome.record.survivors == Some(0));
}

/// Four megabytes on both streams, of types nobody knows: the process can print them all and works on, and nothing is
/// kept of them.
#[tokio::test]
async fn a_flood_between_turns_is_read_and_dropped() {
    if !is_alone("supervise::turns::between::a_flood_between_turns_is_read_and_dropped") {
        return;
    }
    let world = world();
    let mut agent = warm(&world).await;
    let before = private_kib();
    agent = say(&world, agent, "flood on").await;
    until("the end of the flood", || world.path("wt/done").exists()).await;
    let agent = say(&world, agent, "say still here").await;
    let grown = private_kib().saturating_sub(before);
    assert!(grown < 16 * 1024, "{grown} KiB");
    assert_eq!(agent.close().await, Some(0));
}

/// Closed or dropped, it is gone.
#[tokio::test]
async fn nothing_is_left_of_it() {
    for run in runs() {
        for is_closed in [true, false] {
            let (world, tier) = (world(), run.tier);
            let agent = warm_in(
                &world,
                Run {
                    mode: run.mode,
                    ..Run::new(tier)
                },
            )
            .await;
            let handle = agent.handle().unwrap().clone();
            if is_closed {
                assert_eq!(agent.close().await, Some(0), "{tier}");
            } else {
                drop(agent);
            }
            // The keeper leaves after its last word.
            until("its end", || !still_running(&handle)).await;
        }
    }
}

/// A process whose tool left something running does not stay: nothing else could end that for certain.
#[tokio::test]
async fn what_a_tool_left_running_ends_with_its_turn() {
    for run in runs() {
        let (world, marker, tier) = (world(), marker(9), run.tier);
        let agent = warm_in(&world, run).await;
        let prompt = format!("sleeper {marker}");
        let (outcome, warm) = agent.turn(world.turn(&prompt), &mut ()).await;
        assert_eq!(text(&outcome), "it sleeps", "{tier}");
        assert!(warm.is_none(), "{tier}");
        assert_eq!(
            (outcome.record.survivors, asleep(&marker)),
            (Some(0), 0),
            "{tier}"
        );
    }
}
