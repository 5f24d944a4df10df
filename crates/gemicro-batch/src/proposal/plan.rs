//! The plan of a run of `propose_test` or `refine_test`.

use gemicro_core::llm::LlmConfig;
use serde::{Deserialize, Serialize};

use super::check::TestTrial;
use super::material::MaterialInput;
use super::prompts::{EarlierTest, TestPrompts};

/// Everything that decisions depend on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProposalPlan {
    /// The file to test, and its lines.
    pub material: MaterialInput,
    /// The user's notes about it.
    pub context: String,
    /// An earlier test to improve.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub earlier: Option<EarlierTest>,
    /// Paths that may be changed although they are not named like tests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub leave: Vec<String>,
    /// How to build and run a test; `None` to skip that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trying: Option<TestTrial>,
    /// Maximum number of questions to the model: the first, and further ones with the failure.
    pub max_rounds: u32,
    /// Model settings.
    pub llm: LlmConfig,
    /// Prompts for the model.
    pub prompts: TestPrompts,
}
