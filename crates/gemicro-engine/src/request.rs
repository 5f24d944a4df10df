//! What an edge hands in.

use std::path::PathBuf;

use gemicro_core::budget::Limits;
use gemicro_core::llm::LlmConfig;
use gemicro_core::offline::Techniques;
use gemicro_core::research::{Base, ResearchConfig};

/// What the user asked, as data.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Request {
    /// A question to be answered from sources.
    Research(ResearchRequest),
}

/// A question and how to answer it.
#[derive(Debug, Clone, PartialEq)]
pub struct ResearchRequest {
    /// The question.
    pub question: String,
    /// Folders and files to read.
    pub sources: Vec<PathBuf>,
    /// Who answers.
    pub backend: Backend,
    /// Settings of the research agent.
    pub config: ResearchConfig,
    /// What the run may use.
    pub limits: Limits,
    /// An earlier run that it goes on from.
    pub base: Option<Base>,
}

/// Who answers.
#[derive(Debug, Clone, PartialEq)]
pub enum Backend {
    /// The texts themselves, without a model.
    Offline(Techniques),
    /// A model.
    Model {
        /// How it is called.
        llm: LlmConfig,
        /// Whether the provider's web search may answer what the sources do not.
        web: bool,
    },
    /// A research agent of the provider.
    Agent(LlmConfig),
}
