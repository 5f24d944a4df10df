//! Steps of kind `ooda_observe` and `ooda_trial`.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use gemicro_agents::step_tools::Tools;
use gemicro_agents::{AgentCommons, AgentSetup};
use gemicro_batch::ooda::{
    Found, Good, Landed, Mutations, OBSERVE_STEP, Observation, ObserveInput, Trial, TrialInput, observe,
    try_out,
};
use gemicro_core::execute::{Executor, StepCall};
use gemicro_core::flow::{StepFailure, StepOutput};
use gemicro_event::redact::Redactor;
use gemicro_event::{Charge, ErrorKind, Failure, Json};
use gemicro_guard::repository::CommitMessage;
use serde::Serialize;

use super::branch_workshop::BranchWorkshop;

/// Measures and tries out.
pub(crate) struct OodaSteps {
    tools: Arc<Tools>,
}

impl OodaSteps {
    pub(crate) fn new(commons: AgentCommons, setup: AgentSetup, redactor: Redactor) -> Self {
        Self {
            tools: Arc::new(Tools {
                commons,
                setup,
                redactor,
            }),
        }
    }
}

impl Executor for OodaSteps {
    fn execute(&self, call: StepCall) -> BoxFuture<'static, Result<StepOutput, StepFailure>> {
        let tools = self.tools.clone();
        Box::pin(async move {
            let output = match call.step.kind.as_str() {
                OBSERVE_STEP => measured(&tools, &call).await.and_then(|it| json(&it)),
                _ => tried(&tools, &call).await.and_then(|it| json(&it)),
            };
            Ok(StepOutput {
                output: output.map_err(StepFailure::free)?,
                charge: Charge::ZERO,
                usage: None,
            })
        })
    }

    /// What it runs ends with us.
    fn goes_on_outside(&self) -> bool {
        false
    }
}

async fn measured(tools: &Tools, call: &StepCall) -> Result<Observation, Failure> {
    let place: ObserveInput = read(&call.step.input)?;
    let at = BranchWorkshop::open(tools, &place).await?;
    let tip = at.tip();
    if let Some(note) = at.note() {
        call.reporter.alarm(note);
    }
    let observation = observe(&at, &place.commands, (&at.changes, &tip), &call.cancel).await;
    let tripped = match &observation {
        // A project that cannot be measured gets no branch: the next loop begins with what was mended.
        Err(_) if at.is_new() => at.abandon().await?,
        Ok(_) | Err(_) => at.leave().await?,
    };
    tripped.tell(&call.reporter);
    observation
}

async fn tried(tools: &Tools, call: &StepCall) -> Result<Trial, Failure> {
    let input: TrialInput = read(&call.step.input)?;
    let at = BranchWorkshop::open(tools, &input.place).await?;
    if at.was_made_by(&call.run, &call.step.key).await? {
        return recognised(at, &input, call).await;
    }
    match try_out(&at, &input, &call.cancel).await {
        Ok(Found::Rejected(trial)) => {
            at.leave().await?.tell(&call.reporter);
            Ok(*trial)
        }
        Ok(Found::Good(good)) => land(tools, at, *good, call).await,
        Err(failure) => {
            // What was wrong is the thing to tell.
            let _ = at.leave().await;
            Err(failure)
        }
    }
}

async fn land(tools: &Tools, at: BranchWorkshop, good: Good, call: &StepCall) -> Result<Trial, Failure> {
    let message = message(&good, call);
    let (workshop, changes, tripped, outcome) = at.land(tools, &good.texts, message, &call.cancel).await?;
    tripped.tell(&call.reporter);
    match outcome {
        Ok(outcome) => {
            outcome
                .notes
                .into_iter()
                .for_each(|note| call.reporter.alarm(note));
            let landed = Landed {
                branch: outcome.name,
                commit: outcome.new,
                worktree: outcome.worktree,
                reports: outcome.reports,
            };
            let commit = landed.commit.clone();
            good.landed(&workshop, (&changes, &commit), landed)
        }
        Err(failure) if is_about_the_commit(failure.kind) => Ok(good.refused(failure.message)),
        Err(failure) => Err(failure),
    }
}

/// A test that was committed before a crash: it was good then, and is measured again.
async fn recognised(at: BranchWorkshop, input: &TrialInput, call: &StepCall) -> Result<Trial, Failure> {
    let (tip, branch) = (at.tip(), input.place.branch.clone());
    let after = observe(&at, &input.place.commands, (&at.changes, &tip), &call.cancel).await;
    at.leave().await?.tell(&call.reporter);
    let after = after?;
    let before: u64 = input
        .uncovered
        .iter()
        .flat_map(|file| &file.ranges)
        .map(n_lines)
        .sum();
    let now: u64 = after
        .uncovered
        .iter()
        .flat_map(|file| &file.ranges)
        .map(n_lines)
        .sum();
    Ok(Trial {
        patch: String::new(),
        files: Vec::new(),
        rejection: None,
        newly_covered: before.saturating_sub(now),
        mutations: Mutations::default(),
        after: Some(after),
        landed: Some(Landed {
            branch,
            commit: tip,
            worktree: None,
            reports: Vec::new(),
        }),
    })
}

fn n_lines(range: &gemicro_batch::coverage::LineRange) -> u64 {
    u64::from(range.last - range.first) + 1
}

/// What gemicro says about a test in its commit.
fn message(good: &Good, call: &StepCall) -> CommitMessage {
    let Mutations { tried, noticed, .. } = good.mutations;
    let noticed = match tried {
        0 => String::new(),
        1 => " The test notices a version with broken code.".to_owned(),
        tried => format!(" The test notices {noticed} of {tried} versions with broken code."),
    };
    let lines = match good.newly_covered {
        1 => "1 line".to_owned(),
        n => format!("{n} lines"),
    };
    CommitMessage {
        text: format!(
            "test: cover {}\n\nCovers {lines} that no test ran before.{noticed}",
            good.place
        ),
        trailers: vec![
            ("Gemicro-Run".to_owned(), call.run.to_string()),
            ("Gemicro-Step".to_owned(), call.step.key.to_string()),
        ],
    }
}

fn is_about_the_commit(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::ImportRefused | ErrorKind::BranchSwitched)
}

fn read<T: serde::de::DeserializeOwned>(input: &Json) -> Result<T, Failure> {
    input.parse().map_err(|error| {
        Failure::new(
            ErrorKind::Internal,
            format!("the input of a step cannot be read: {error}"),
        )
    })
}

fn json(output: &impl Serialize) -> Result<Json, Failure> {
    Json::of(output).map_err(|error| Failure::new(ErrorKind::Internal, error.to_string()))
}
