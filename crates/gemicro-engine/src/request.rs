//! What an edge hands in.

use std::path::PathBuf;

use gemicro_core::budget::Limits;
use gemicro_core::llm::LlmConfig;
use gemicro_core::offline::Techniques;
use gemicro_core::research::ResearchConfig;

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
}

/// Who answers.
#[derive(Debug, Clone, PartialEq)]
pub enum Backend {
    /// The texts themselves, without a model.
    Offline(Techniques),
    /// The model that the engine was opened with.
    Model(LlmConfig),
}
