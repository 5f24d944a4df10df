//! Steps of kind `ooda_observe` and `ooda_trial`.

use gemicro_agents::step_tools::Tools;
use gemicro_batch::ooda::{
    AcceptedTest, LandedTrial, Mutations, Observation, ObserveInput, Trial, TrialFinding, TrialInput,
    UncoveredLines, observe, try_out,
};
use gemicro_core::execute::StepCall;
use gemicro_event::{ErrorKind, Failure};
use gemicro_guard::repository::CommitMessage;

use super::branch_workshop::BranchWorkshop;

pub(crate) async fn measure(
    tools: &Tools,
    place: ObserveInput,
    call: &StepCall,
) -> Result<Observation, Failure> {
    let at = BranchWorkshop::open(tools, &place).await?;
    let tip = at.tip();
    if let Some(note) = at.note() {
        call.reporter.alarm(note);
    }
    let observation = observe(&at, &place.commands, (&at.changes, &tip), &call.cancel).await;
    let tripped = match &observation {
        // A project that cannot be measured gets no branch: the next loop starts from the fixed state.
        Err(_) if at.is_new() => at.abandon().await?,
        Ok(_) | Err(_) => at.leave().await?,
    };
    tripped.tell(&call.reporter);
    observation
}

/// Tries out a test.
pub(crate) async fn try_test(tools: &Tools, input: TrialInput, call: &StepCall) -> Result<Trial, Failure> {
    let at = BranchWorkshop::open(tools, &input.place).await?;
    if at.was_made_by(&call.run, &call.step.key).await? {
        return recognise_trial(at, &input, call).await;
    }
    match try_out(&at, &input, &call.cancel).await {
        Ok(TrialFinding::Rejected(trial)) => {
            at.leave().await?.tell(&call.reporter);
            Ok(*trial)
        }
        Ok(TrialFinding::Good(good)) => land(tools, at, *good, call).await,
        Err(failure) => {
            // Report the original failure, not that of leaving.
            let _ = at.leave().await;
            Err(failure)
        }
    }
}

async fn land(
    tools: &Tools,
    at: BranchWorkshop,
    good: AcceptedTest,
    call: &StepCall,
) -> Result<Trial, Failure> {
    let message = message(&good, call);
    let (workshop, changes, tripped, outcome) = at.land(tools, &good.texts, message, &call.cancel).await?;
    tripped.tell(&call.reporter);
    match outcome {
        Ok(outcome) => {
            outcome
                .notes
                .into_iter()
                .for_each(|note| call.reporter.alarm(note));
            let landed = LandedTrial {
                branch: outcome.name,
                commit: outcome.new,
                worktree: outcome.worktree,
                reports: outcome.reports,
            };
            let commit = landed.commit.clone();
            good.landed_trial(&workshop, (&changes, &commit), landed)
        }
        Err(failure) if is_about_the_commit(failure.kind) => Ok(good.refused_trial(failure.message)),
        Err(failure) => Err(failure),
    }
}

/// Recognises a test that was committed before a crash: it was accepted then, and is measured again.
async fn recognise_trial(at: BranchWorkshop, input: &TrialInput, call: &StepCall) -> Result<Trial, Failure> {
    let (tip, branch) = (at.tip(), input.place.branch.clone());
    let after = observe(&at, &input.place.commands, (&at.changes, &tip), &call.cancel).await;
    at.leave().await?.tell(&call.reporter);
    let after = after?;
    let (before, now) = (n_lines(&input.uncovered), n_lines(&after.uncovered));
    Ok(Trial {
        patch: String::new(),
        files: Vec::new(),
        rejection: None,
        newly_covered: before.saturating_sub(now),
        mutations: Mutations::default(),
        after: Some(after),
        landed: Some(LandedTrial {
            branch,
            commit: tip,
            worktree: None,
            reports: Vec::new(),
        }),
    })
}

fn n_lines(uncovered: &[UncoveredLines]) -> u64 {
    let ranges = uncovered.iter().flat_map(|file| &file.ranges);
    ranges.map(|range| u64::from(range.last - range.first) + 1).sum()
}

/// The commit message for a test.
fn message(good: &AcceptedTest, call: &StepCall) -> CommitMessage {
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
