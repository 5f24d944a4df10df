//! What a phase still needs, and how it ends when it needs nothing more.

use super::events::PhaseEnded;
use super::gate::{GateDecision, Vote, gate};
use super::state::{Now, PipelineState};
use crate::documents::document_name;
use crate::payload::{Decision, Payload, Shape};
use crate::steps::{Evidence, MergeOutcome};
use crate::workflow::{Phase, Role, Target, Work, Writes};

/// Tests that are named where many are gone.
const MOST_NAMED: usize = 10;

/// The next thing in a phase.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Todo {
    Agent,
    Import,
    Check,
    Record,
    Merge,
    Deliver,
    End(Box<PhaseEnded>),
}

/// How a phase ended, before it is known where that leads.
struct Ending {
    outcome: Outcome,
    reasons: Vec<String>,
    feedback: Option<String>,
}

enum Outcome {
    /// By the word of an edge.
    Word(&'static str),
    /// The same phase once more.
    Again,
    /// The phase that can mend it, whatever the edges say.
    Back(String),
    /// The task is over.
    Stop,
}

impl Ending {
    fn word(word: &'static str) -> Self {
        Self {
            outcome: Outcome::Word(word),
            reasons: Vec::new(),
            feedback: None,
        }
    }

    fn again(reasons: Vec<String>) -> Self {
        Self {
            outcome: Outcome::Again,
            reasons,
            feedback: None,
        }
    }
}

/// What the phase under way needs next; nothing where no phase is.
pub(super) fn todo(state: &PipelineState) -> Option<Todo> {
    let now = state.now.as_ref()?;
    let phase = state.phase_of(now)?;
    let has_checks = !state.plan.workflow.checks.is_empty();
    Some(match &phase.work {
        Work::Merge => match &now.merged {
            None => Todo::Merge,
            Some(merged) if merged.outcome == MergeOutcome::Merged && has_checks && !now.is_checked => {
                Todo::Check
            }
            Some(merged) => ended(state, now, phase, Ending::word(merged.outcome.word())),
        },
        Work::Deliver => delivery(state, now, phase, has_checks),
        Work::Agent { .. } => {
            let role = state.role_of(phase)?;
            match &now.answer {
                None => Todo::Agent,
                Some(answer) => after_answer(state, now, (phase, role), answer, has_checks),
            }
        }
    })
}

/// Nothing is written or offered before the checks pass on what that would be.
fn delivery(state: &PipelineState, now: &Now, phase: &Phase, has_checks: bool) -> Todo {
    if now.is_behind {
        return match merge_phase(state) {
            Some(merge) => Todo::End(Box::new(PhaseEnded {
                phase: phase.name.clone(),
                label: phase.label.clone(),
                round: now.round,
                outcome: "moved".to_owned(),
                reasons: vec!["main has gone on since it was merged".to_owned()],
                feedback: None,
                document: None,
                commit: state.tip.clone(),
                tree: state.tree.clone(),
                next: Some(merge.name.clone()),
            })),
            None => Todo::Record,
        };
    }
    if has_checks && !now.is_checked {
        return Todo::Check;
    }
    let reasons = unfit(state, now);
    if !reasons.is_empty() {
        let developer = state.phase_with(Shape::Developer);
        let outcome = developer.map_or(Outcome::Stop, |phase| Outcome::Back(phase.name.clone()));
        let feedback = None;
        return ended(
            state,
            now,
            phase,
            Ending {
                outcome,
                reasons,
                feedback,
            },
        );
    }
    match &now.delivered {
        None if !now.is_recorded && !state.written.is_empty() => Todo::Record,
        None => Todo::Deliver,
        Some(_) => ended(state, now, phase, Ending::word("done")),
    }
}

/// What the checks say against the branch as it would be delivered.
fn unfit(state: &PipelineState, now: &Now) -> Vec<String> {
    let Some(evidence) = state.evidence.as_ref().filter(|_| now.is_checked) else {
        return Vec::new();
    };
    let mut faults = evidence.faults();
    if faults.is_empty() {
        let before = now.before.as_ref();
        faults.extend(before.and_then(|before| evidence.shrunk_since(before)));
    }
    let told = |fault| {
        format!("with the documents of the task moved to the archive, as they are delivered, {fault}")
    };
    faults.into_iter().map(told).collect()
}

fn after_answer(
    state: &PipelineState,
    now: &Now,
    (phase, role): (&Phase, &Role),
    answer: &Payload,
    has_checks: bool,
) -> Todo {
    let decision = answer.decision();
    if let Decision::Failed { reason } = &decision {
        let reasons = vec![format!("{} could not do it: {reason}", role.title)];
        let ending = Ending {
            outcome: Outcome::Stop,
            reasons,
            feedback: None,
        };
        return ended(state, now, phase, ending);
    }
    let writes = role.sandbox != Writes::ReadOnly;
    if writes && now.taken.is_none() && now.refused.is_none() {
        return Todo::Import;
    }
    let faults = faults(now);
    let is_work = matches!(role.shape, Shape::Developer | Shape::IntegrationSpecialist);
    if is_work && faults.is_empty() && has_checks && !now.is_checked {
        return Todo::Check;
    }
    if !now.is_recorded && now.refused.is_none() && has_records(phase, role, answer) {
        return Todo::Record;
    }
    ended(
        state,
        now,
        phase,
        judged(state, now, (role, answer), &decision, faults),
    )
}

/// What does not hold of what the agent said and did.
fn faults(now: &Now) -> Vec<String> {
    let refused = now
        .refused
        .iter()
        .map(|why| format!("your changes were refused: {why}"));
    let taken = now.taken.iter().flat_map(|taken| taken.faults.iter().cloned());
    let dishonest = now.dishonest.iter().cloned();
    refused.chain(taken).chain(dishonest).collect()
}

fn judged(
    state: &PipelineState,
    now: &Now,
    (role, answer): (&Role, &Payload),
    decision: &Decision,
    faults: Vec<String>,
) -> Ending {
    if !faults.is_empty() {
        return Ending::again(faults);
    }
    let is_work = matches!(role.shape, Shape::Developer | Shape::IntegrationSpecialist);
    if is_work {
        let mut faults = Vec::new();
        if let Some(evidence) = state.evidence.as_ref().filter(|_| now.is_checked) {
            faults = evidence.faults();
            let base = state.prepared.as_ref().map(|it| &it.evidence);
            // A suite that fails counts nothing, and is told already.
            if faults.is_empty() {
                faults.extend(base.and_then(|base| evidence.shrunk_since(base)));
            }
            if faults.is_empty() {
                faults.extend(base.and_then(|base| replaced(base, evidence)));
            }
        }
        return match faults.is_empty() {
            true => Ending::word("done"),
            false => Ending::again(faults),
        };
    }
    let vote = Vote {
        word: decision.word().to_owned(),
        tree: now.tree.clone(),
    };
    // Where a workflow names no checks, nothing but the reviewers vouches for the work; the user was told.
    let nothing = Evidence {
        tree: state.tree.clone(),
        checks: Vec::new(),
    };
    let evidence = match state.plan.workflow.checks.is_empty() {
        true => Some(&nothing),
        false => state.evidence.as_ref(),
    };
    match gate(&vote, decision, &state.tree, evidence) {
        GateDecision::Counts => Ending {
            feedback: answer.feedback().map(|feedback| feedback.to_text()),
            ..Ending::word(decision.word())
        },
        GateDecision::Void(reasons) => Ending::again(reasons),
        // The reviewer cannot mend it: the work goes back to who can.
        GateDecision::Overruled(reasons) => Ending {
            reasons,
            ..Ending::word("FAIL")
        },
    }
}

/// Says that most of the tests of the base are not there any more, however many others are, or that nobody can tell.
fn replaced(base: &Evidence, now: &Evidence) -> Option<String> {
    if let Some(told) = now.unnamed_since(base) {
        return Some(told);
    }
    let (gone, n_base) = now.gone_since(base);
    (gone.len() * 2 > n_base).then(|| {
        let named: Vec<&str> = gone.iter().take(MOST_NAMED).map(String::as_str).collect();
        format!(
            "{} of the {n_base} tests that ran on the base are gone, others in their places do not count: put them back \
             ({})",
            gone.len(),
            named.join(", ")
        )
    })
}

/// Whether gemicro has something to write down about an answer.
pub(super) fn has_records(phase: &Phase, role: &Role, answer: &Payload) -> bool {
    !answer.backlog_items().is_empty() || !answer.remarks().is_empty() || decides(phase, role)
}

/// Whether gemicro writes the phase's document itself: its reviewer only decides.
pub(super) fn decides(phase: &Phase, role: &Role) -> bool {
    let only_decides = matches!(role.shape, Shape::LeadAnalyst | Shape::PlanReviewer);
    only_decides
        && matches!(
            &phase.work,
            Work::Agent {
                document: Some(_),
                ..
            }
        )
}

/// The document of a phase in its round.
pub(super) fn document(state: &PipelineState, now: &Now, phase: &Phase) -> Option<String> {
    match &phase.work {
        Work::Agent {
            document: Some(pattern),
            ..
        } => Some(document_name(pattern, &state.plan.feature, now.round)),
        Work::Agent { document: None, .. } | Work::Merge | Work::Deliver => None,
    }
}

/// The end of a phase, and where it leads.
fn ended(state: &PipelineState, now: &Now, phase: &Phase, ending: Ending) -> Todo {
    let (word, next) = match ending.outcome {
        Outcome::Word(word) => (word, target(phase, word, now)),
        Outcome::Again => ("again", Ok(Some(phase.name.clone()))),
        Outcome::Back(phase) => ("FAIL", Ok(Some(phase))),
        Outcome::Stop => ("stop", Ok(None)),
    };
    let mut reasons = ending.reasons;
    let (word, next) = match next {
        Ok(Some(next)) if state.is_spent(&next) => {
            let n = times(state.entered(&next));
            // The rounds are counted on from those of an earlier run.
            let here = state.plan.earlier.as_ref().map_or("", |_| " in this run");
            let last = reasons.first().cloned().or_else(|| ending.feedback.clone());
            let last = last
                .map(|last| format!("; the last reason: {last}"))
                .unwrap_or_default();
            reasons.insert(
                0,
                format!("phase {next} was entered {n}{here}, which is its bound{last}"),
            );
            ("stop", Some(next))
        }
        Ok(next) => (word, next),
        Err(why) => {
            reasons.insert(0, why);
            ("stop", None)
        }
    };
    let own = now
        .answer
        .as_ref()
        .and_then(|answer| answer.document().map(str::to_owned));
    let is_taken = now.taken.as_ref().is_some_and(|taken| taken.faults.is_empty());
    let written = state
        .role_of(phase)
        .filter(|role| decides(phase, role))
        .map(|_| ());
    let document = match (own, written) {
        (Some(own), _) => Some(own).filter(|_| is_taken),
        (None, Some(())) => document(state, now, phase).filter(|_| now.is_recorded),
        (None, None) => document(state, now, phase).filter(|_| is_taken),
    };
    Todo::End(Box::new(PhaseEnded {
        phase: phase.name.clone(),
        label: phase.label.clone(),
        round: now.round,
        outcome: word.to_owned(),
        reasons,
        feedback: ending.feedback,
        document,
        commit: state.tip.clone(),
        tree: state.tree.clone(),
        next,
    }))
}

/// The phase that merges main, while it may still be entered.
pub(super) fn merge_phase(state: &PipelineState) -> Option<&Phase> {
    let mut phases = state.plan.workflow.phases.iter();
    let merge = phases.find(|phase| phase.work == Work::Merge)?;
    Some(merge).filter(|merge| !state.is_spent(&merge.name))
}

fn times(n: u32) -> String {
    match n {
        1 => "once".to_owned(),
        n => format!("{n} times"),
    }
}

/// Where a word leads.
fn target(phase: &Phase, word: &str, now: &Now) -> Result<Option<String>, String> {
    match phase.edges.get(word) {
        Some(Target::Phase(next)) => Ok(Some(next.clone())),
        Some(Target::End) => Ok(None),
        Some(Target::Back) => match &now.from {
            Some(from) => Ok(Some(from.clone())),
            None => Err(format!("phase {} leads back, but nothing led to it", phase.name)),
        },
        None => Err(format!("phase {} has no edge for {word}", phase.name)),
    }
}
