//! What a run of `propose_test` or `refine_test` depends on.

use gemicro_core::llm::LlmConfig;
use serde::{Deserialize, Serialize};

use super::check::TestTrial;
use super::material::MaterialInput;
use super::prompts::{EarlierTest, TestPrompts};

/// Everything that deciding depends on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProposalPlan {
    /// The file to be tested, and its lines.
    pub material: MaterialInput,
    /// What the user says about it.
    pub context: String,
    /// An earlier test to go on from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub earlier: Option<EarlierTest>,
    /// Paths that may be changed although their names are none of tests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub leave: Vec<String>,
    /// How a test is built and run, where that is wanted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trying: Option<TestTrial>,
    /// How often the model is asked at most: the first time, and again with what was wrong.
    pub max_rounds: u32,
    /// How the model is called.
    pub llm: LlmConfig,
    /// What it is asked.
    pub prompts: TestPrompts,
}
