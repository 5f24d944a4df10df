//! Settings of the research agent alone.

use serde::{Deserialize, Serialize};

/// What a research run may do; given to the agent's constructor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResearchConfig {
    /// Most sub-queries that a question is split into.
    pub max_sub_queries: usize,
    /// Passages shown to the model for one sub-query, at most.
    pub max_passages: usize,
    /// Show the sub-queries and wait for approval.
    pub approve_plan: bool,
    /// Pages that are fetched because an answer names them, at most.
    #[serde(default = "default_max_pages")]
    pub max_pages: usize,
}

impl Default for ResearchConfig {
    fn default() -> Self {
        Self {
            max_sub_queries: 5,
            max_passages: 16,
            approve_plan: false,
            max_pages: default_max_pages(),
        }
    }
}

fn default_max_pages() -> usize {
    20
}
