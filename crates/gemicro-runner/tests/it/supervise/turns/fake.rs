//! The fake CLI, started.

use gemicro_runner::ClaudeCode;
use gemicro_runner::supervise::{TurnOutcome, WarmAgent};

use crate::supervise::tiers::{all_tiers, tiers};
use crate::supervise::world::{Run, Seen, World};

/// A machine where `claude` does what its prompt says.
pub(crate) fn world() -> World {
    let world = World::bare();
    world.install("claude", include_str!("fake.py"));
    world
}

pub(crate) fn run() -> Run {
    Run::new(tiers()[0])
}

/// A warm process that said `hello`.
pub(crate) async fn warm(world: &World) -> WarmAgent {
    warm_in(world, run()).await
}

pub(crate) async fn warm_in(world: &World, run: Run) -> WarmAgent {
    let run = Run {
        prompt: gemicro_runner::AgentPrompt::user("say hello"),
        ..run
    };
    let (outcome, agent) = world.warm(&ClaudeCode, run, &mut Seen::default()).await;
    assert_eq!(text(&outcome), "hello");
    agent.unwrap()
}

/// One run in each tier of this machine.
pub(crate) fn runs() -> Vec<Run> {
    let tiers = all_tiers().into_iter();
    let runs = tiers.map(|(tier, mode)| Run {
        mode,
        ..Run::new(tier)
    });
    runs.collect()
}

pub(crate) fn text(outcome: &TurnOutcome) -> &str {
    match &outcome.result {
        Ok(end) => &end.text,
        Err(failure) => panic!("{failure:?}"),
    }
}
