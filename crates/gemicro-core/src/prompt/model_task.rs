//! The plan of one prompt to a model, and the calls that result from it.

use gemicro_event::{Charge, StepKey, StreamId};
use serde::{Deserialize, Serialize};

use super::recall::{RECALL_HINT, RESULTS_BOUND, recall_function};
use crate::budget::Purpose;
use crate::flow::Step;
use crate::llm::{FunctionRound, LlmConfig, LlmRequest, llm_step, worst_case, worst_case_with};

/// Everything that deciding depends on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelTask {
    /// The run's title in lists.
    pub title: String,
    /// How the model is called.
    pub llm: LlmConfig,
    /// Purpose of the call; never sent.
    pub label: String,
    /// The whole prompt.
    pub prompt: String,
    /// An earlier call to continue from, if the provider still has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub earlier: Option<Earlier>,
    /// The conversation that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<StreamId>,
    /// The prompt leaves out turns of the conversation, and the model may look them up.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub recall: bool,
    /// Changes that were made when the request became a plan, for the user.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
}

/// An earlier call, and the new message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Earlier {
    /// The provider's id of the call.
    pub interaction: String,
    /// The new message.
    pub message: String,
}

/// How the prompt is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PromptMode {
    /// As a continuation of the earlier call.
    Native,
    /// With the whole prompt.
    Whole,
    /// With the whole prompt and without functions, because their results cannot be sent.
    Plain,
}

/// Whether a call offers the function `recall`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FunctionOffer {
    Recall,
    Nothing,
}

impl ModelTask {
    /// The call with the whole prompt.
    #[must_use]
    pub fn whole(&self) -> LlmRequest {
        LlmRequest::new(&self.label, self.prompt.clone(), &self.llm)
    }

    /// Maximum cost of the call.
    #[must_use]
    pub fn worst_case(&self) -> Charge {
        worst_case(&self.whole())
    }

    /// The next call after these rounds.
    pub(super) fn step(&self, mode: PromptMode, rounds: &[FunctionRound], offer: FunctionOffer) -> Step {
        let whole = self.request_after(rounds, offer);
        // The provider also bills the conversation that it remembers, which the whole prompt contains.
        let cost = worst_case(&whole);
        let request = match (mode, &self.earlier) {
            (PromptMode::Native, Some(earlier)) => LlmRequest {
                prompt: earlier.message.clone(),
                previous: Some(earlier.interaction.clone()),
                ..whole
            },
            (PromptMode::Native | PromptMode::Whole | PromptMode::Plain, _) => whole,
        };
        let key = mode.key(rounds.len());
        Step {
            cost,
            ..llm_step(key, &request, Purpose::Last, &self.llm)
        }
    }

    /// Maximum cost of a call that offers the function, together with the call that sends the results.
    pub(super) fn cost_with_results(&self, rounds: &[FunctionRound]) -> Charge {
        let whole = self.request_after(rounds, FunctionOffer::Recall);
        let more_input = self.llm.max_output_tokens.saturating_add(RESULTS_BOUND);
        worst_case(&whole).plus(worst_case_with(&whole, more_input))
    }

    fn request_after(&self, rounds: &[FunctionRound], offer: FunctionOffer) -> LlmRequest {
        let request = LlmRequest {
            rounds: rounds.to_vec(),
            ..self.whole()
        };
        match offer {
            FunctionOffer::Nothing => request,
            FunctionOffer::Recall => LlmRequest {
                system: Some(RECALL_HINT.to_owned()),
                functions: vec![recall_function()],
                ..request
            },
        }
    }
}

impl PromptMode {
    /// The step key after `n_rounds` rounds.
    pub(super) fn key(self, n_rounds: usize) -> StepKey {
        let name = match self {
            Self::Native => "native",
            Self::Whole => "whole",
            Self::Plain => "plain",
        };
        match n_rounds {
            0 => StepKey::new(name),
            n_rounds => StepKey::new(format!("{name}-{}", n_rounds + 1)),
        }
    }

    /// The key of the look-up step after `n_rounds` rounds.
    pub(super) fn recall_key(self, n_rounds: usize) -> StepKey {
        StepKey::new(format!("{}-recall", self.key(n_rounds)))
    }
}
