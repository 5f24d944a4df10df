//! What an engine of the tests is opened with.

use std::path::PathBuf;
use std::sync::Arc;

use gemicro_core::budget::Limits;
use gemicro_core::llm::{Backends, GEMINI, LlmBackend};
use gemicro_engine::EngineConfig;

/// An engine in this state folder that asks this model.
pub(crate) fn asking(home: PathBuf, owner: &str, model: Arc<dyn LlmBackend>) -> EngineConfig {
    EngineConfig {
        agents: None,
        store: None,
        home,
        owner: owner.to_owned(),
        program: "gemicro test".to_owned(),
        llm: Backends::one(GEMINI, model),
        fetch: Default::default(),
        reader: None,
        secrets: Vec::new(),
        share_sources: false,
        max_parallel: 8,
        resident: false,
        credentials: String::new(),
        day_budget: Limits::NONE,
        notify: None,
    }
}
