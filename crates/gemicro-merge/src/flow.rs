//! Connects the merge queue to the driver that runs flows.

use gemicro_core::flow::{Decision, Flow, Outcome, Step, StepEnd, read_plan};
use gemicro_core::run::RunState;
use gemicro_event::{AgentUpdate, Event, Failure, Json, StepKey, Timestamp};
use gemicro_pipeline::steps::CheckInput;

use crate::result::MergeSummary;
use crate::search::NextMove;
use crate::state::{MergeState, commit_at};
use crate::steps::{
    BUILD_STEP, BuildInput, BuildResult, CHECK_STEP, LAND_STEP, LandInput, PUSH_STEP, PushInput,
};

/// The flow that decides merge queues.
#[derive(Debug, Clone, Copy, Default)]
pub struct MergeFlow;

impl Flow for MergeFlow {
    type State = MergeState;

    fn name(&self) -> &'static str {
        "merge"
    }

    fn version(&self) -> u32 {
        1
    }

    fn start(&self, plan: &Json) -> Result<MergeState, Failure> {
        Ok(MergeState::new(read_plan(plan)?))
    }

    fn fold(&self, state: &mut MergeState, event: &Event) {
        state.fold(event);
    }

    fn decide(&self, state: &MergeState, run: &RunState) -> Decision {
        match next_step(state, run) {
            Some(step) => Decision::step(step),
            None => Decision::end(match &state.failed {
                Some(failure) => Outcome::Failed(failure.clone()),
                None => MergeSummary::of(state).outcome(run),
            }),
        }
    }

    fn announce(&self, _state: &MergeState, _step: &Step, _at: Timestamp) -> Vec<AgentUpdate> {
        Vec::new()
    }

    fn describe(&self, _: &MergeState, _: &Step, _: &StepEnd, _: Timestamp) -> Vec<AgentUpdate> {
        Vec::new()
    }
}

/// The next step towards the end; `None` if the queue is finished or failed.
fn next_step(state: &MergeState, run: &RunState) -> Option<Step> {
    if state.failed.is_some() {
        return None;
    }
    let Some(build) = &state.build else {
        return Some(build_step(state, run));
    };
    if state.landed.is_some() {
        return push(state, build);
    }
    match state.next_move(build) {
        NextMove::Check(at) => Some(check(state, run, commit_at(build, at))),
        NextMove::Land if !build.chain.is_empty() => Some(land(state, build)),
        // The fold has acted on the others.
        NextMove::Land | NextMove::TakeOut(_) | NextMove::TargetFails => None,
    }
}

fn build_step(state: &MergeState, run: &RunState) -> Step {
    let plan = &state.plan;
    let input = BuildInput {
        directory: plan.directory.clone(),
        into: plan.into.clone(),
        branches: state.queue(),
        run: run.run.clone(),
        seconds: u64::try_from(run.started_at.as_millis() / 1_000).unwrap_or_default(),
    };
    let key = format!("build.{}", state.n_builds + 1);
    Step::free(StepKey::new(key), BUILD_STEP, &input)
}

fn check(state: &MergeState, run: &RunState, commit: &str) -> Step {
    let input = CheckInput {
        place: state.plan.checkout(private_branch(run), commit),
        checks: state.plan.checks.clone(),
        records: Vec::new(),
    };
    Step::free(StepKey::new(format!("check.{commit}")), CHECK_STEP, &input)
}

fn land(state: &MergeState, build: &BuildResult) -> Step {
    let input = LandInput {
        directory: state.plan.directory.clone(),
        into: state.plan.into.clone(),
        old: build.base.clone(),
        new: commit_at(build, build.chain.len()).to_owned(),
    };
    let key = format!("land.{}", state.n_lands + 1);
    Step::free(StepKey::new(key), LAND_STEP, &input)
}

fn push(state: &MergeState, build: &BuildResult) -> Option<Step> {
    if !state.plan.push || state.pushed.is_some() {
        return None;
    }
    let input = PushInput {
        directory: state.plan.directory.clone(),
        into: state.plan.into.clone(),
        commit: commit_at(build, build.chain.len()).to_owned(),
    };
    Some(Step::free(StepKey::new("push"), PUSH_STEP, &input))
}

/// The branch at which commits are checked out for the checks.
fn private_branch(run: &RunState) -> String {
    format!("task/merge-queue-{}", run.run)
}
