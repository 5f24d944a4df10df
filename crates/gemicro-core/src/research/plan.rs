//! The plan of a research run: everything that deciding depends on, as data.

use gemicro_event::{Charge, ErrorKind, Failure};
use serde::{Deserialize, Serialize};

use super::{Base, PromptSet, ResearchConfig, UseAs, requests};
use crate::budget::Limits;
use crate::corpus::is_url;
use crate::llm::LlmConfig;
use crate::models::{ModelTable, no_price};

/// A question longer than this is refused: it is a document, not a question.
const MAX_QUESTION_BYTES: usize = 16 * 1024;

/// What answers: a model, a research agent of the provider, or no model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "engine", rename_all = "snake_case")]
pub enum ResearchEngine {
    /// A model, with these settings and prompts.
    Model {
        /// How it is called.
        llm: LlmConfig,
        /// What it is told.
        prompts: PromptSet,
        /// Whether the provider's web search may answer what the sources do not.
        #[serde(default)]
        web: bool,
    },
    /// A research agent of the provider: it plans and searches by itself, in the background.
    Agent {
        /// How it is called; the model is the agent's id.
        llm: LlmConfig,
    },
    /// The texts themselves: retrieval and sentence selection, no model.
    Offline {},
}

impl ResearchEngine {
    /// How the model is called; none offline.
    #[must_use]
    pub fn llm(&self) -> Option<&LlmConfig> {
        match self {
            Self::Model { llm, .. } | Self::Agent { llm } => Some(llm),
            Self::Offline { .. } => None,
        }
    }
}

/// A research run as data; frozen in `run_started`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ResearchPlan {
    /// The question in the words of the user.
    pub question: String,
    /// What answers the sub-queries.
    #[serde(flatten)]
    pub engine: ResearchEngine,
    /// Folders and files to read.
    pub sources: Vec<String>,
    /// Settings of the agent.
    pub config: ResearchConfig,
    /// What an earlier run brings in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<Base>,
    /// What was changed while the request became a plan, such as a model that was replaced.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
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
                "the question has {} bytes, but at most {MAX_QUESTION_BYTES} are allowed; put long material in a file and name the file as a source",
                self.question.len()
            ));
        }
        if self.config.max_sub_queries == 0 || self.config.max_sub_queries > 100 {
            return refuse("the number of sub-queries must be between 1 and 100".to_owned());
        }
        match &self.engine {
            ResearchEngine::Offline { .. } if !self.has_sources() => refuse(
                "offline research answers from your own documents: name a folder or file as a source".to_owned(),
            ),
            ResearchEngine::Offline { .. } => self.check_offline(),
            ResearchEngine::Model { llm, .. } if limits.micro_usd.is_some() && self.is_unpriced() => {
                refuse(no_price(&llm.model))
            }
            ResearchEngine::Agent { .. } if limits.tokens.is_some() || limits.micro_usd.is_some() => refuse(
                "the provider's research agent decides itself how much it uses, so a budget in tokens or dollars cannot be enforced; limit its time instead".to_owned(),
            ),
            ResearchEngine::Agent { .. } if requests::to_revise(self).is_some() => refuse(
                "the provider's research agent would do the whole research again: revise with another backend, such as gemini".to_owned(),
            ),
            ResearchEngine::Agent { .. } if !self.sources.is_empty() => refuse(
                "the provider's research agent cannot read your files: leave the sources out, or use another backend".to_owned(),
            ),
            ResearchEngine::Model { .. } | ResearchEngine::Agent { .. } => Ok(()),
        }
    }

    /// Refuses web addresses among the sources of a run without a model: such a run opens no connection.
    pub(super) fn check_offline(&self) -> Result<(), Failure> {
        let ResearchEngine::Offline { .. } = &self.engine else {
            return Ok(());
        };
        let Some(url) = self.sources.iter().find(|source| is_url(source)) else {
            return Ok(());
        };
        let message = format!(
            "offline research opens no connection, so it cannot read {url}: save the page as a file and name that as a source, or use a model"
        );
        Err(Failure::new(ErrorKind::InvalidInput, message))
    }

    /// Whether the model's price is unknown.
    #[must_use]
    pub(crate) fn is_unpriced(&self) -> bool {
        match &self.engine {
            ResearchEngine::Model { llm, .. } | ResearchEngine::Agent { llm } => {
                ModelTable::embedded().price(&llm.model).is_none()
            }
            ResearchEngine::Offline { .. } => false,
        }
    }

    /// Whether there are texts to look into before anything else is asked.
    #[must_use]
    pub(crate) fn has_sources(&self) -> bool {
        let from_base = |base: &Base| base.pack.is_some() || !base.pages.is_empty();
        !self.sources.is_empty() || self.base.as_ref().is_some_and(from_base)
    }

    /// The sub-queries where nobody has to find them: what an earlier run asked, one section, or an agent that
    /// plans by itself.
    pub(super) fn given_sub_queries(&self) -> Option<Vec<String>> {
        let question = self.question.trim();
        match (&self.base, &self.engine) {
            (
                Some(Base {
                    use_as: UseAs::Retry,
                    parts,
                    ..
                }),
                _,
            ) if !parts.is_empty() => Some(parts.iter().map(|part| part.query.clone()).collect()),
            (
                Some(Base {
                    use_as: UseAs::Revise { section },
                    ..
                }),
                _,
            ) if !section.is_empty() => Some(vec![format!("{section}: {question}")]),
            (
                Some(Base {
                    use_as: UseAs::Revise { .. },
                    ..
                }),
                _,
            )
            | (_, ResearchEngine::Agent { .. }) => Some(vec![question.to_owned()]),
            (_, ResearchEngine::Model { .. } | ResearchEngine::Offline { .. }) => None,
        }
    }

    /// What the budget keeps back for synthesis: money and tokens, and time in milliseconds.
    #[must_use]
    pub fn held_back(&self, limits: &Limits) -> (Charge, u64) {
        let ResearchEngine::Model { llm, .. } = &self.engine else {
            return (Charge::ZERO, 0);
        };
        let wanted = requests::synthesis_worst_case(self);
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
            ..Charge::ZERO
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
        requests::minimum_answer_cost(self)
    }
}
