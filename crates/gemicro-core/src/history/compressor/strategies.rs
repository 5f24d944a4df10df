//! The built-in compressors.

use super::{CompressedPrompt, Compressible, ContextCompressor};
use crate::history::compact::{Growth, Strategy, compact};
use crate::history::render::render;
use crate::history::segments::SummarySupply;
use crate::history::{HistoryError, HistoryReport, Level, SummaryCache};

/// One of the built-in compressors.
struct BuiltIn {
    name: &'static str,
    /// `None` chooses the mildest strategy that fits.
    strategy: Option<Strategy>,
    summarises: bool,
}

const BUILT_IN: [BuiltIn; 5] = [
    // One summary for all old turns.
    BuiltIn {
        name: "summarise",
        strategy: Some(Strategy::Summarise),
        summarises: true,
    },
    // Summaries of ranges that are longer the older they are.
    BuiltIn {
        name: "hierarchical",
        strategy: Some(Strategy::Hierarchical),
        summarises: true,
    },
    // No summaries: only selected statements of old turns.
    BuiltIn {
        name: "retrieval",
        strategy: Some(Strategy::Summarise),
        summarises: false,
    },
    // Leaves out only duplicates and the middle of long outputs.
    BuiltIn {
        name: "deduplicate",
        strategy: Some(Strategy::Views),
        summarises: false,
    },
    // De-duplication first, then summaries if available.
    BuiltIn {
        name: "adaptive",
        strategy: None,
        summarises: true,
    },
];

impl ContextCompressor for BuiltIn {
    fn name(&self) -> &'static str {
        self.name
    }

    fn compress(&self, input: &Compressible<'_>) -> Result<CompressedPrompt, HistoryError> {
        if let Some(strategy) = self.strategy {
            return self.by_strategy(strategy, input);
        }
        let level = input.material.config.level(input.material.total());
        if level < Level::Heavy
            && let Ok(compressed) = self.by_strategy(Strategy::Views, input)
        {
            return Ok(compressed);
        }
        self.by_strategy(Strategy::Summarise, input)
    }
}

/// The compressor with this name: `summarise`, `hierarchical`, `retrieval`, `deduplicate` or `adaptive`.
#[must_use]
pub fn compressor_named(name: &str) -> Option<Box<dyn ContextCompressor>> {
    let found = BUILT_IN.into_iter().find(|known| known.name == name)?;
    Some(Box::new(found))
}

impl BuiltIn {
    fn by_strategy(
        &self,
        strategy: Strategy,
        input: &Compressible<'_>,
    ) -> Result<CompressedPrompt, HistoryError> {
        let mut cache = SummaryCache::default();
        let summariser = input.summariser.filter(|_| self.summarises);
        let mut summaries = SummarySupply::new(&mut cache, summariser, "");
        let plan = compact(&input.material, None, (strategy, Growth::Alone), &mut summaries)?;
        let (n_model_calls, n_dropped, warnings) =
            (summaries.n_calls, summaries.n_dropped, summaries.warnings);
        let prompt = render(input.material.log, &plan);
        let mut report = HistoryReport::new(&input.material, &plan, &prompt.text, self.name);
        report.n_model_calls = n_model_calls;
        report.n_summary_statements_dropped = n_dropped;
        report.warnings = warnings;
        Ok(CompressedPrompt { plan, prompt, report })
    }
}
