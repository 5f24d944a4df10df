//! Warm processes of the real CLIs: two at once, turn after turn, and what happens when one is killed.

use std::time::Duration;

use gemicro_event::ErrorKind;
use gemicro_guard::sandbox::descendants;
use gemicro_runner::supervise::WarmAgent;
use rustix::process::{Pid, Signal, kill_process};
use tokio::time::timeout;

use super::desk::{Desk, REMEMBERS, Real, claude, gemini, said};
use crate::supervise::world::failure;

#[tokio::test]
async fn gemini_continues() {
    goes_on(&gemini()).await;
}

#[tokio::test]
async fn claude_continues() {
    goes_on(&claude()).await;
}

/// Two processes; each remembers its own turns. One is killed between two turns, the other in the middle of one.
async fn goes_on(real: &Real) {
    let (first, second) = (Desk::new(REMEMBERS).await, Desk::new(REMEMBERS).await);
    let (mut resting, working) = tokio::join!(remembers(&first, real), remembers(&second, real));
    kill(&resting);
    timeout(Duration::from_secs(10), resting.wait_until_unfit())
        .await
        .unwrap();
    let (outcome, gone) = resting.turn(first.turn("Hello?"), &mut ()).await;
    assert_eq!(failure(&outcome).kind, ErrorKind::UpstreamError, "{outcome:#?}");
    assert!(gone.is_none() && outcome.record.untouched);
    assert_eq!(outcome.record.survivors, Some(0));

    let process = working.handle().unwrap().clone();
    let mut nobody = ();
    let turn = working.turn(second.turn("Please wait for it."), &mut nobody);
    let killing = async {
        second.provider.gates().wait_until_reached("late", 1).await;
        kill_deepest(process.pid);
    };
    let ((outcome, gone), ()) = tokio::join!(turn, killing);
    assert_eq!(failure(&outcome).kind, ErrorKind::UpstreamError, "{outcome:#?}");
    assert!(gone.is_none() && outcome.record.untouched, "{outcome:#?}");
    assert_eq!(outcome.record.survivors, Some(0));
}

/// Three turns of one process: each shows the model the earlier ones, each counts for itself.
#[expect(clippy::print_stdout, reason = "what was measured is shown with --nocapture")]
async fn remembers(desk: &Desk, real: &Real) -> WarmAgent {
    let mut agent = desk.warm(real, "Remember WALRUS.").await;
    let session = agent.session().cloned();
    assert!(session.is_some());
    for (prompt, answer) in [
        ("Remember OTTER.", "An honest answer."),
        ("Tell me which words.", "WALRUS and OTTER."),
    ] {
        let (outcome, warm) = agent.turn(desk.turn(prompt), &mut ()).await;
        agent = warm.unwrap();
        let record = &outcome.record;
        println!("{:?}: {} ms", real.cli.kind(), record.duration_ms);
        assert_eq!(said(&outcome), answer, "{outcome:#?}");
        assert_eq!(
            (record.partial_text.as_str(), &record.session),
            (answer, &session)
        );
        assert!(!record.untouched && record.exit.is_none() && record.survivors.is_none());
        let usage = outcome.result.unwrap().usage.unwrap();
        assert!(usage.output_tokens < 10, "not this turn's: {usage:?}");
    }
    let body = desk.last_request().body.to_string();
    assert!(body.contains("Remember WALRUS.") && body.contains("Remember OTTER."));
    agent
}

fn kill(agent: &WarmAgent) {
    kill_deepest(agent.handle().unwrap().pid);
}

/// Kills the CLI itself, not the sandbox around it.
fn kill_deepest(keeper: u32) {
    let deepest = *descendants(keeper).last().unwrap();
    let pid = Pid::from_raw(i32::try_from(deepest).unwrap()).unwrap();
    kill_process(pid, Signal::KILL).unwrap();
}
