//! The decisions of a flow.

use gemicro_event::{Failure, Json, StepKey, Timestamp};

use super::Step;

/// One decision: a function of the state only.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Decision {
    /// Steps that are ready; those already started are ignored.
    pub want: Vec<Step>,
    /// Running steps that are no longer needed.
    pub cancel: Vec<StepKey>,
    /// What the run waits for besides its steps.
    pub waits: Vec<RunWait>,
    /// The outcome, if the run ends. Steps still running are stopped first.
    pub finish: Option<Outcome>,
}

impl Decision {
    /// Wants only this step.
    #[must_use]
    pub fn step(step: Step) -> Self {
        Self {
            want: vec![step],
            ..Self::default()
        }
    }

    /// The same decision for a run that only waits for its running steps: it starts nothing and does not end the run.
    #[must_use]
    pub fn without_starts(self) -> Self {
        Self {
            want: Vec::new(),
            finish: None,
            ..self
        }
    }

    /// A decision that ends the run and starts nothing.
    #[must_use]
    pub fn end(outcome: Outcome) -> Self {
        Self {
            finish: Some(outcome),
            ..Self::default()
        }
    }

    /// Only waits for a person's answer.
    #[must_use]
    pub fn ask(key: String) -> Self {
        Self {
            waits: vec![RunWait::Answer { key }],
            ..Self::default()
        }
    }
}

/// Something outside the run's own steps that must happen first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunWait {
    /// A time; `timer_fired` with this key follows it.
    Until {
        /// Names the timer inside the run.
        key: String,
        /// When it is due.
        at: Timestamp,
    },
    /// A person's answer; `answer_given` with this key follows it.
    Answer {
        /// Names the question inside the run.
        key: String,
    },
}

/// How a run ends.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// With a result: `final_result` with these details.
    Completed {
        /// The sentence for people.
        message: String,
        /// The result, as `final_result` stores it.
        data: Json,
    },
    /// With a failure: `run_failed`.
    Failed(Failure),
}
