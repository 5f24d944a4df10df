//! Determines what a phase still needs, and how it ends.

use super::current_phase::{AfterAnswer, CurrentPhase, PhaseAnswer, PhaseProgress};
use super::events::PhaseEnded;
use super::feedback::has_feedback;
use super::gate::{GateDecision, Vote, gate};
use super::state::PipelineState;
use crate::documents::document_name;
use crate::payload::{AgentDecision, AgentPayload, PayloadShape};
use crate::steps::{Evidence, MergeOutcome};
use crate::workflow::{EdgeTarget, Phase, PhaseWork, Role, Writes};

/// Maximum number of missing tests to list.
const MOST_NAMED: usize = 10;

/// The next step of a phase.
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

/// How a phase ended; the next phase is not decided yet.
struct PhaseEnding {
    outcome: TodoOutcome,
    reasons: Vec<String>,
    feedback: Option<String>,
}

enum TodoOutcome {
    /// The outcome of an edge.
    Word(&'static str),
    /// Enter the same phase once more.
    Again,
    /// With this outcome, go to the phase that can fix the problem, whatever the edges say.
    Back(&'static str, String),
    /// The task is over.
    Stop,
}

impl PhaseEnding {
    fn word(word: &'static str) -> Self {
        Self::because(Vec::new(), TodoOutcome::Word(word))
    }

    fn again(reasons: Vec<String>) -> Self {
        Self::because(reasons, TodoOutcome::Again)
    }

    fn because(reasons: Vec<String>, outcome: TodoOutcome) -> Self {
        Self {
            outcome,
            reasons,
            feedback: None,
        }
    }
}

/// Returns what the current phase needs next; `None` if there is no current phase.
pub(super) fn todo(state: &PipelineState) -> Option<Todo> {
    let current = state.current.as_ref()?;
    let phase = state.phase_of(current)?;
    let has_checks = !state.plan.workflow.checks.is_empty();
    Some(match &phase.work {
        PhaseWork::Merge => match &current.progress {
            PhaseProgress::Merged(MergeOutcome::Merged) if has_checks => Todo::Check,
            PhaseProgress::Merged(outcome) => {
                end_phase(state, current, phase, PhaseEnding::word(outcome.word()))
            }
            PhaseProgress::Checked { .. } => end_phase(
                state,
                current,
                phase,
                PhaseEnding::word(MergeOutcome::Merged.word()),
            ),
            _ => Todo::Merge,
        },
        PhaseWork::Deliver => delivery(state, current, phase, has_checks),
        PhaseWork::Agent { .. } => {
            let role = state.role_of(phase)?;
            match current.answer() {
                None => Todo::Agent,
                Some(answer) => after_answer(state, current, (phase, role), answer, has_checks),
            }
        }
    })
}

/// Delivers only if the checks pass on exactly what would be delivered.
fn delivery(state: &PipelineState, current: &CurrentPhase, phase: &Phase, has_checks: bool) -> Todo {
    let back = |word, next: Option<&Phase>, reasons| {
        let outcome = next.map_or(TodoOutcome::Stop, |next| {
            TodoOutcome::Back(word, next.name.clone())
        });
        end_phase(state, current, phase, PhaseEnding::because(reasons, outcome))
    };
    let faults = match &current.progress {
        PhaseProgress::Delivered => return end_phase(state, current, phase, PhaseEnding::word("done")),
        PhaseProgress::Archived => return Todo::Deliver,
        PhaseProgress::Behind => {
            let why = "main has new commits since it was merged".to_owned();
            return back("moved", merge_phase(state), vec![why]);
        }
        PhaseProgress::Checked { before } => unfit(state, before.as_ref()),
        _ if has_checks => return Todo::Check,
        _ => Vec::new(),
    };
    let has_nothing_to_record = state.written.is_empty() && state.skills.is_empty();
    match (faults.is_empty(), has_nothing_to_record) {
        (false, _) => back("FAIL", state.phase_with(PayloadShape::Developer), faults),
        (true, false) => Todo::Record,
        (true, true) => Todo::Deliver,
    }
}

/// Returns the faults that the checks found in the branch as it would be delivered.
fn unfit(state: &PipelineState, before: Option<&Evidence>) -> Vec<String> {
    let Some(evidence) = &state.evidence else {
        return Vec::new();
    };
    let mut faults = evidence.faults();
    if faults.is_empty() {
        faults.extend(before.and_then(|before| evidence.shrunk_since(before)));
    }
    let describe = |fault| format!("after the task's documents were archived, {fault}");
    faults.into_iter().map(describe).collect()
}

fn after_answer(
    state: &PipelineState,
    current: &CurrentPhase,
    (phase, role): (&Phase, &Role),
    answer: &PhaseAnswer,
    has_checks: bool,
) -> Todo {
    let decision = answer.payload.decision();
    if let AgentDecision::Failed { reason } = &decision {
        let reasons = vec![format!("{} could not do the work: {reason}", role.title)];
        return end_phase(
            state,
            current,
            phase,
            PhaseEnding::because(reasons, TodoOutcome::Stop),
        );
    }
    let faults = faults(answer);
    let is_checked = is_work(role) && has_checks && faults.is_empty();
    match &answer.after {
        AfterAnswer::Nothing if role.sandbox != Writes::ReadOnly => return Todo::Import,
        AfterAnswer::Nothing | AfterAnswer::Imported(_) if is_checked => return Todo::Check,
        AfterAnswer::Nothing | AfterAnswer::Imported(_) | AfterAnswer::Checked(_)
            if has_records(phase, role, &answer.payload) =>
        {
            return Todo::Record;
        }
        AfterAnswer::Nothing
        | AfterAnswer::Refused(_)
        | AfterAnswer::Imported(_)
        | AfterAnswer::Checked(_)
        | AfterAnswer::Recorded(_) => {}
    }
    let ending = match faults.is_empty() {
        true => judge_phase(state, current, (role, &answer.payload), &decision),
        false => PhaseEnding::again(faults),
    };
    end_phase(state, current, phase, ending)
}

/// Returns the false claims and refused changes of an answer.
fn faults(answer: &PhaseAnswer) -> Vec<String> {
    let mut faults = match &answer.after {
        AfterAnswer::Refused(why) => vec![format!("your changes were refused: {why}")],
        after => after
            .import()
            .map(|taken| taken.faults.clone())
            .unwrap_or_default(),
    };
    faults.extend(answer.dishonest.clone());
    faults
}

/// Returns true if a role changes code.
fn is_work(role: &Role) -> bool {
    matches!(
        role.shape,
        PayloadShape::Developer | PayloadShape::IntegrationSpecialist
    )
}

fn judge_phase(
    state: &PipelineState,
    current: &CurrentPhase,
    (role, answer): (&Role, &AgentPayload),
    decision: &AgentDecision,
) -> PhaseEnding {
    if is_work(role) {
        // Without checks there are no faults to report.
        let evidence = state.evidence.as_ref();
        let mut faults = evidence.map(Evidence::faults).unwrap_or_default();
        // A failing suite has no test count, and is already reported.
        if let (true, Some(evidence), Some(prepared)) = (faults.is_empty(), evidence, &state.prepared) {
            let base = &prepared.evidence;
            faults.extend(
                evidence
                    .shrunk_since(base)
                    .or_else(|| tests_replaced(base, evidence)),
            );
        }
        return match faults.is_empty() {
            true => PhaseEnding::word("done"),
            false => PhaseEnding::again(faults),
        };
    }
    let vote = Vote {
        word: decision.word().to_owned(),
        tree: current.tree.clone(),
    };
    // If a workflow has no checks, only the reviewers vouch for the work; the user was warned.
    let nothing = Evidence {
        tree: state.tree.clone(),
        checks: Vec::new(),
    };
    let evidence = match state.plan.workflow.checks.is_empty() {
        true => Some(&nothing),
        false => state.evidence.as_ref(),
    };
    match gate(&vote, decision, &state.tree, evidence) {
        GateDecision::Counts => PhaseEnding {
            feedback: answer.feedback().map(|feedback| feedback.to_text()),
            ..PhaseEnding::word(decision.word())
        },
        GateDecision::Void(reasons) => PhaseEnding::again(reasons),
        // The reviewer cannot fix this, so the work goes back to a role that can.
        GateDecision::Overruled(reasons) => PhaseEnding {
            reasons,
            ..PhaseEnding::word("FAIL")
        },
    }
}

/// Reports that most tests of the base are missing, regardless of new ones, or that test names are no longer printed.
fn tests_replaced(base: &Evidence, now: &Evidence) -> Option<String> {
    if let Some(fault) = now.unnamed_since(base) {
        return Some(fault);
    }
    let (gone, n_base) = now.gone_since(base);
    (gone.len() * 2 > n_base).then(|| {
        let named: Vec<&str> = gone.iter().take(MOST_NAMED).map(String::as_str).collect();
        format!(
            "{} of the {n_base} tests that ran on the base are missing, and new tests do not replace them; \
             restore them ({})",
            gone.len(),
            named.join(", ")
        )
    })
}

/// Returns true if gemicro has to write documents about an answer.
pub(super) fn has_records(phase: &Phase, role: &Role, answer: &AgentPayload) -> bool {
    has_feedback(answer) || !answer.lessons().is_empty() || decides(phase, role)
}

/// Returns true if gemicro writes the phase's document, because its reviewer only decides.
pub(super) fn decides(phase: &Phase, role: &Role) -> bool {
    let only_decides = matches!(role.shape, PayloadShape::LeadAnalyst | PayloadShape::PlanReviewer);
    only_decides
        && matches!(
            &phase.work,
            PhaseWork::Agent {
                document: Some(_),
                ..
            }
        )
}

/// Returns the document of a phase in its round.
pub(super) fn document(state: &PipelineState, current: &CurrentPhase, phase: &Phase) -> Option<String> {
    match &phase.work {
        PhaseWork::Agent {
            document: Some(pattern),
            ..
        } => Some(document_name(pattern, &state.plan.feature, current.round)),
        PhaseWork::Agent { document: None, .. } | PhaseWork::Merge | PhaseWork::Deliver => None,
    }
}

/// Ends a phase and determines the next one.
fn end_phase(state: &PipelineState, current: &CurrentPhase, phase: &Phase, ending: PhaseEnding) -> Todo {
    let (word, next) = match ending.outcome {
        TodoOutcome::Word(word) => (word, target(phase, word, current)),
        TodoOutcome::Again => ("again", Ok(Some(phase.name.clone()))),
        TodoOutcome::Back(word, phase) => (word, Ok(Some(phase))),
        TodoOutcome::Stop => ("stop", Ok(None)),
    };
    let mut reasons = ending.reasons;
    let (word, next) = match next {
        Ok(Some(next)) if state.is_spent(&next) => {
            let n = times(state.times_entered(&next));
            // Round numbers continue from the earlier run.
            let here = state.plan.earlier.as_ref().map_or("", |_| " in this run");
            let last = reasons.first().cloned().or_else(|| ending.feedback.clone());
            let last = last
                .map(|last| format!("; the last reason: {last}"))
                .unwrap_or_default();
            reasons.insert(
                0,
                format!("phase {next} was entered {n}{here}, which is its limit{last}"),
            );
            ("stop", Some(next))
        }
        Ok(next) => (word, next),
        Err(why) => {
            reasons.insert(0, why);
            ("stop", None)
        }
    };
    let answer = current.answer();
    let own = answer.and_then(|answer| answer.payload.document().map(str::to_owned));
    let after = answer.map(|answer| &answer.after);
    let taken = after.and_then(AfterAnswer::import);
    let is_taken = taken.is_some_and(|taken| taken.faults.is_empty());
    let is_recorded = matches!(after, Some(AfterAnswer::Recorded(_)));
    let written = state
        .role_of(phase)
        .filter(|role| decides(phase, role))
        .map(|_| ());
    let document = match (own, written) {
        (Some(own), _) => Some(own).filter(|_| is_taken),
        (None, Some(())) => document(state, current, phase).filter(|_| is_recorded),
        (None, None) => document(state, current, phase).filter(|_| is_taken),
    };
    Todo::End(Box::new(PhaseEnded {
        phase: phase.name.clone(),
        label: phase.label.clone(),
        round: current.round,
        outcome: word.to_owned(),
        reasons,
        feedback: ending.feedback,
        document,
        commit: state.tip.clone(),
        tree: state.tree.clone(),
        next,
    }))
}

/// Returns the phase that merges main, unless it has reached its limit of rounds.
pub(super) fn merge_phase(state: &PipelineState) -> Option<&Phase> {
    let mut phases = state.plan.workflow.phases.iter();
    let merge = phases.find(|phase| phase.work == PhaseWork::Merge)?;
    Some(merge).filter(|merge| !state.is_spent(&merge.name))
}

fn times(n: u32) -> String {
    match n {
        1 => "once".to_owned(),
        n => format!("{n} times"),
    }
}

/// Returns the phase that an outcome leads to.
fn target(phase: &Phase, word: &str, current: &CurrentPhase) -> Result<Option<String>, String> {
    match phase.edges.get(word) {
        Some(EdgeTarget::Phase(next)) => Ok(Some(next.clone())),
        Some(EdgeTarget::End) => Ok(None),
        Some(EdgeTarget::Back) => match &current.from {
            Some(from) => Ok(Some(from.clone())),
            None => Err(format!("phase {} leads back, but nothing led to it", phase.name)),
        },
        None => Err(format!("phase {} has no edge for {word}", phase.name)),
    }
}
