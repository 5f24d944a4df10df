//! Decides the next step of the loop.

use gemicro_core::flow::{Decision, Outcome, Step};
use gemicro_core::run::RunState;
use gemicro_event::{Json, StepKey};
use serde::Deserialize;

use super::observation::{Observation, ObserveInput};
use super::plan::Decider;
use super::result::{LoopStop, result};
use super::state::{Current, OodaState};
use super::trial::TrialInput;
use crate::proposal::{EarlierTest, MaterialInput, ProposalAim, ProposalMaterial, ProposalQuestion};
use crate::strategy::{CoverageGap, RankedGap};

pub(super) fn decide(state: &OodaState, run: &RunState) -> Decision {
    if let Some(failure) = &state.failed {
        let has_taken = state.acts.iter().any(|act| act.rejection.is_none());
        return Decision::end(match has_taken {
            true => result(state, LoopStop::Trouble, run),
            false => Outcome::Failed(failure.clone()),
        });
    }
    let Some(now) = &state.now else {
        return Decision::step(place(state).step(StepKey::new("observe")));
    };
    if state.is_spent {
        return Decision::end(result(state, LoopStop::Budget, run));
    }
    let is_late = run.deadline.is_some();
    match &state.current {
        // A test that is already paid for is still tried; nothing else starts after the deadline.
        Some(current) if !is_late || current.is_to_be_tried() => Decision::step(act(state, current, now)),
        Some(_) => Decision::end(result(state, LoopStop::Budget, run)),
        None if is_late => Decision::end(result(state, LoopStop::Budget, run)),
        None => next_round(state, now, run),
    }
}

/// The next step for the current gap.
fn act(state: &OodaState, current: &Current, now: &Observation) -> Step {
    let round = state.n_rounds;
    let Some(material) = &current.material else {
        return material_step(round, &current.gap, now);
    };
    let n_answers = current.n_answers();
    match current.answers.last() {
        Some(answer) if current.is_to_be_tried() => {
            let input = TrialInput {
                place: place(state),
                answer: answer.clone(),
                gap: current.gap.clone(),
                uncovered: now.uncovered.clone(),
                covered: now.totals.covered,
                test_ms: now.test_ms,
                mutants: state.plan.mutants,
            };
            input.step(StepKey::new(format!("trial:{round}.{n_answers}")))
        }
        Some(_) | None => question(state, material, n_answers + 1),
    }
}

fn question(state: &OodaState, material: &ProposalMaterial, attempt: u32) -> Step {
    let earlier = state.last_act().and_then(|act| {
        let rejection = act.rejection.as_ref()?;
        let answer = state.current.as_ref().and_then(|current| current.answers.last());
        Some(EarlierTest {
            patch: answer.unwrap_or(&act.patch).clone(),
            failure: rejection.for_model(),
        })
    });
    let question = ProposalQuestion {
        material,
        context: &state.plan.context,
        earlier: earlier.as_ref(),
    };
    let key = StepKey::new(format!("propose:{}.{attempt}", state.n_rounds));
    state.plan.prompts.step(key, question, &state.plan.llm)
}

/// Starts another round, or ends the loop.
fn next_round(state: &OodaState, now: &Observation, run: &RunState) -> Decision {
    let plan = &state.plan;
    let stop = |why| Decision::end(result(state, why, run));
    let open = state.open_gaps();
    if now.totals.percent() >= plan.target {
        return stop(LoopStop::Target);
    }
    if open.is_empty() || state.n_in_vain >= plan.patience {
        return stop(LoopStop::NoProgress);
    }
    if state.n_rounds >= plan.max_rounds {
        return stop(LoopStop::Rounds);
    }
    let take = |it: &RankedGap| Decision::step(material_step(state.n_rounds + 1, &it.gap, now));
    match plan.decider {
        Decider::Auto => take(open[0]),
        Decider::Human => match choice(state, run) {
            (_, Some(Choice::Stop)) => stop(LoopStop::Person),
            (key, Some(Choice::Gap(idx))) => open.get(idx).map_or_else(|| Decision::ask(key), |it| take(it)),
            (key, None) => Decision::ask(key),
        },
    }
}

/// A person's decision about the next round, and the key of the question. The decision is `None` while it is open.
fn choice(state: &OodaState, run: &RunState) -> (String, Option<Choice>) {
    let n_open = state.open_gaps().len();
    let round = state.n_rounds + 1;
    let mut asking = 1_u32;
    loop {
        let key = match asking {
            1 => format!("decide:{round}"),
            n => format!("decide:{round}.{n}"),
        };
        match run.answers.get(&key) {
            None => return (key, None),
            Some(answer) => match Choice::read(answer, n_open) {
                Some(choice) => return (key, Some(choice)),
                // An answer that cannot be understood is ignored, and the question asked again.
                None => asking += 1,
            },
        }
    }
}

enum Choice {
    /// The index of the gap in the list, from 0.
    Gap(usize),
    Stop,
}

impl Choice {
    /// Reads `{"gap": 1}`, `{"stop": true}`, `1` or `"stop"`.
    fn read(answer: &Json, n_open: usize) -> Option<Self> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum PersonAnswer {
            Number(usize),
            Word(String),
            Gap { gap: usize },
            Stop { stop: bool },
        }
        let number = match answer.parse::<PersonAnswer>().ok()? {
            PersonAnswer::Number(number) | PersonAnswer::Gap { gap: number } => number,
            PersonAnswer::Word(word) if word.trim() == "stop" => return Some(Self::Stop),
            PersonAnswer::Word(word) => word.trim().parse().ok()?,
            PersonAnswer::Stop { stop: true } => return Some(Self::Stop),
            PersonAnswer::Stop { stop: false } => return None,
        };
        (1..=n_open).contains(&number).then(|| Self::Gap(number - 1))
    }
}

fn place(state: &OodaState) -> ObserveInput {
    ObserveInput {
        directory: state.plan.directory.clone(),
        branch: state.plan.branch.clone(),
        commands: state.plan.commands.clone(),
    }
}

fn material_step(round: u32, gap: &CoverageGap, now: &Observation) -> Step {
    let input = MaterialInput {
        directory: now.folder.clone(),
        target: gap.file.clone(),
        aim: ProposalAim::Lines(gap.lines.clone()),
        reports: Vec::new(),
    };
    input.step(StepKey::new(format!("material:{round}")))
}
