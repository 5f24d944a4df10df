//! What a task has decided so far, over all of its runs: the story that its request to merge tells.

use gemicro_core::run::events::RunReaders;
use gemicro_event::text::{one_line, shortened};
use gemicro_event::{Event, StreamId};
use serde::{Deserialize, Serialize};

use crate::flow::{PipelineReaders, gate_answer};
use crate::payload::AgentDecision;

/// Characters of a reason that are kept; `gemicro show` has all of them.
const MOST_WHY: usize = 300;
/// Characters of a name that are kept.
const MOST_NAME: usize = 40;

/// One decision: how a phase ended, or what a person said before one began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhaseDecided {
    /// The run in which it was made.
    pub run: StreamId,
    /// The phase, such as `C3 review`; of a gate the one behind it.
    pub phase: String,
    /// How often that phase had been entered.
    pub round: u32,
    /// The word of the phase's end; of a gate `yes` or `no`.
    pub outcome: String,
    /// A person said it, before the phase began.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_gate: bool,
    /// What the agent of the phase had said, where the phase ended with another word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<String>,
    /// Who, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said_by: Option<String>,
    /// Why, where it is no success; what was remarked, where it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The document of the phase.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<String>,
}

impl PhaseDecided {
    /// The decision that an event states; none where it states something else. `label` knows phases by their names.
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
    /// The same, with what its agent had said: a bound or a gate may have ended the phase with another word.
    pub(crate) fn after(self, verdict: Option<&AgentDecision>) -> Self {
        let word = verdict.map(|it| it.word().to_owned());
        Self {
            verdict: word.filter(|word| !self.is_gate && *word != self.outcome),
            ..self
        }
    }
}
