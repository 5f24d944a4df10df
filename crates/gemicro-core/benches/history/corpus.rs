//! The histories that are measured, with a summariser that says nothing.

use gemicro_core::history::{HistoryConfig, HistoryManager, Summariser, SummaryRequest};

/// The classes of needles, in the order of the tables.
pub(crate) const CLASSES: [&str; 6] = ["rule", "decision", "identifier", "number", "done", "last-request"];

/// Answers with nothing: whatever survives owes it to no model.
struct Lossy;

impl Summariser for Lossy {
    fn summarise(&self, _: &SummaryRequest) -> Result<String, String> {
        Ok(String::new())
    }
}

/// Our history with this limit, and a summariser that says nothing.
pub(crate) fn history(limit: u64) -> HistoryManager {
    let config = HistoryConfig {
        max_prompt_tokens: limit,
        ..HistoryConfig::default()
    };
    HistoryManager::new(config).with_summariser(std::sync::Arc::new(Lossy))
}
