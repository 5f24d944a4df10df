//! The prompts of research: files under `prompts/research`, frozen into each run's plan.

use serde::{Deserialize, Serialize};

/// The prompt texts a run uses; frozen when it starts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromptSet {
    /// Instructions above every prompt.
    pub system: String,
    /// Splits the question; knows `{{question}}`, `{{max}}` and `{{context}}`.
    pub decompose: String,
    /// Answers a sub-query; knows `{{question}}` and `{{sources}}`.
    pub answer: String,
    /// Answers a sub-query from the web; knows `{{question}}`.
    #[serde(default)]
    pub web: String,
    /// Rewrites one section; knows `{{section}}`, `{{instruction}}` and `{{findings}}`.
    #[serde(default)]
    pub revise: String,
    /// Writes the final answer; knows `{{question}}` and `{{findings}}`.
    pub synthesize: String,
}

impl Default for PromptSet {
    fn default() -> Self {
        Self {
            system: include_str!("../../../../prompts/research/system.md").to_owned(),
            decompose: include_str!("../../../../prompts/research/decompose.md").to_owned(),
            answer: include_str!("../../../../prompts/research/answer.md").to_owned(),
            web: include_str!("../../../../prompts/research/web.md").to_owned(),
            revise: include_str!("../../../../prompts/research/revise.md").to_owned(),
            synthesize: include_str!("../../../../prompts/research/synthesize.md").to_owned(),
        }
    }
}
