//! The decisions of a task in all of its runs, as listed in its merge request.

use gemicro_core::run::events::RunReaders;
use gemicro_event::text::{one_line, shortened};
use gemicro_event::{Event, StreamId};
use serde::{Deserialize, Serialize};

use crate::flow::{PipelineReaders, gate_answer};
use crate::payload::AgentDecision;

/// Maximum length of a stored reason; `gemicro show` prints it in full.
const MOST_WHY: usize = 300;
/// Maximum length of a stored name.
const MOST_NAME: usize = 40;

/// One decision: the end of a phase, or a person's answer before one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhaseDecided {
    /// The run in which it was made.
    pub run: StreamId,
    /// The phase, such as `C3 review`; for a gate, the phase after it.
    pub phase: String,
    /// How many times that phase had been entered.
    pub round: u32,
    /// Outcome of the phase; `yes` or `no` for a gate.
    pub outcome: String,
    /// Whether a person decided, before the phase began.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_gate: bool,
    /// The agent's verdict, if the phase ended with a different outcome.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<String>,
    /// The person, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said_by: Option<String>,
    /// Why it did not succeed, or the remarks if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The document of the phase.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<String>,
}

impl PhaseDecided {
    /// Returns the decision in an event; `None` for other events. `label` looks up a phase's label by its name.
    pub(crate) fn of(event: &Event, label: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let (update, run) = (&event.update, event.stream.clone());
        if let Some(it) = update.as_phase_ended() {
            let is_success = matches!(
                it.outcome.as_str(),
                "done" | "APPROVE" | "PASS" | "merged" | "up_to_date"
            );
            let feedback = it.feedback.map(|said| match is_success {
                true => format!("accepted, with a remark: {said}"),
                false => said,
            });
            let reasons = Some(it.reasons.join("; ")).filter(|reasons| !reasons.is_empty());
            let why = reasons
                .or(feedback)
                .map(|why| shortened(&one_line(&why), MOST_WHY));
            return Some(Self {
                run,
                phase: format!("{} {}", it.label, it.phase),
                round: it.round,
                outcome: it.outcome,
                is_gate: false,
                verdict: None,
                said_by: None,
                why,
                document: it.document,
            });
        }
        let given = update.as_answer_given()?;
        let (place, _) = given.key.rsplit_once(":human")?;
        let (phase, round) = place.rsplit_once('.')?;
        let said = match gate_answer(&given.answer)? {
            true => "yes",
            false => "no",
        };
        Some(Self {
            run,
            phase: format!("{} {phase}", label(phase)?),
            round: round.parse().ok()?,
            outcome: said.to_owned(),
            is_gate: true,
            verdict: None,
            said_by: given.by.map(|by| shortened(&one_line(&by), MOST_NAME)),
            why: None,
            document: None,
        })
    }
}

impl PhaseDecided {
    /// Adds the agent's verdict, because a limit or a gate may have changed the outcome of the phase.
    pub(crate) fn after(self, verdict: Option<&AgentDecision>) -> Self {
        let word = verdict.map(|it| it.word().to_owned());
        Self {
            verdict: word.filter(|word| !self.is_gate && *word != self.outcome),
            ..self
        }
    }
}
