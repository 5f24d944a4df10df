//! The plan of a research run: everything that deciding depends on, as data.

use gemicro_event::{Charge, ErrorKind, Failure};
use serde::{Deserialize, Serialize};

use super::{PromptSet, ResearchConfig, steps};
use crate::budget::Limits;
use crate::llm::LlmConfig;
use crate::offline::Techniques;
use crate::prices::PriceTable;

/// A question longer than this is refused: it is a document, not a question.
const MAX_QUESTION_BYTES: usize = 16 * 1024;

/// Who answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "engine", rename_all = "snake_case")]
pub enum ResearchEngine {
    /// A model, with these settings and prompts.
    Model {
        /// How it is called.
        llm: LlmConfig,
        /// What it is told.
        prompts: PromptSet,
    },
    /// The texts themselves: retrieval and sentence selection, no model.
    Offline {
        /// Which parts of the method are on; all but in benches.
        techniques: Techniques,
    },
}

/// A research run as data; frozen in `run_started`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ResearchPlan {
    /// The question.
    pub question: String,
    /// Who answers.
    #[serde(flatten)]
    pub engine: ResearchEngine,
    /// Folders and files to read.
    pub sources: Vec<String>,
    /// Settings of the agent.
    pub config: ResearchConfig,
}

impl ResearchPlan {
    /// Checks what can be checked before any work.
    ///
    /// # Errors
    /// `invalid_input`, with what to change.
    pub fn check(&self, limits: &Limits) -> Result<(), Failure> {
        let refuse = |message: String| Err(Failure::new(ErrorKind::InvalidInput, message));
        if self.question.trim().is_empty() {
            return refuse("the question is empty".to_owned());
        }
        if self.question.len() > MAX_QUESTION_BYTES {
            return refuse(format!(
                "the question has {} bytes, at most {MAX_QUESTION_BYTES} are possible; put long material in a file and name it with --source",
                self.question.len()
            ));
        }
        if self.config.max_sub_queries == 0 || self.config.max_sub_queries > 100 {
            return refuse("--max-queries must be between 1 and 100".to_owned());
        }
        match &self.engine {
            ResearchEngine::Offline { .. } if self.sources.is_empty() => refuse(
                "--offline answers from your own documents: name a folder or file with --source".to_owned(),
            ),
            ResearchEngine::Model { llm, .. }
                if limits.micro_usd.is_some() && PriceTable::embedded().price(&llm.model).is_none() =>
            {
                refuse(format!(
                    "no price is known for model {}, so a budget in dollars cannot be kept; give it in tokens, such as --budget 50k",
                    llm.model
                ))
            }
            ResearchEngine::Offline { .. } | ResearchEngine::Model { .. } => Ok(()),
        }
    }

    /// What the budget keeps back for synthesis: money and tokens, and time in milliseconds.
    #[must_use]
    pub fn held_back(&self, limits: &Limits) -> (Charge, u64) {
        let ResearchEngine::Model { llm, .. } = &self.engine else {
            return (Charge::ZERO, 0);
        };
        let wanted = steps::synthesis_worst_case(self);
        let minimum = self.minimum();
        // At most a third goes to synthesis, and nothing if that would leave no room for one answer:
        // synthesis without a model is always possible.
        let keep = |wanted: u64, limit: Option<u64>, minimum: u64| match limit {
            None => 0,
            Some(limit) => Some(wanted.min(limit / 3))
                .filter(|kept| limit - kept >= minimum)
                .unwrap_or(0),
        };
        let charge = Charge {
            tokens: keep(wanted.tokens, limits.tokens, minimum.tokens),
            micro_usd: keep(wanted.micro_usd, limits.micro_usd, minimum.micro_usd),
            turns: keep(wanted.turns, limits.turns, minimum.turns),
        };
        (
            charge,
            limits
                .wall_ms
                .map_or(0, |wall_ms| llm.timeout_ms.min(wall_ms / 3)),
        )
    }

    /// The least budget that allows a report: one answer to the question itself.
    #[must_use]
    pub fn minimum(&self) -> Charge {
        steps::minimum_answer_cost(self)
    }
}
