//! The compressors we have.

use super::{Compressed, Compressible, ContextCompressor};
use crate::history::compact::{Strategy, compact};
use crate::history::render::render;
use crate::history::segments::Summaries;
use crate::history::{HistoryError, HistoryReport, Level, SummaryCache};

/// One summary for all old turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Summarise;

/// Summaries of ranges that are longer the older they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Hierarchical;

/// No summaries: old turns that the last message may be about are shown again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Retrieval;

/// Nothing is left out but what is there twice, and the middle of long outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Deduplicate;

/// The mildest that fits: de-duplication, then summaries where they can be had, else retrieval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Adaptive;

impl ContextCompressor for Summarise {
    fn name(&self) -> &'static str {
        "summarise"
    }

    fn compress(&self, input: &Compressible<'_>) -> Result<Compressed, HistoryError> {
        by_strategy(self.name(), Strategy::Summarise, input)
    }
}

impl ContextCompressor for Hierarchical {
    fn name(&self) -> &'static str {
        "hierarchical"
    }

    fn compress(&self, input: &Compressible<'_>) -> Result<Compressed, HistoryError> {
        by_strategy(self.name(), Strategy::Hierarchical, input)
    }
}

impl ContextCompressor for Retrieval {
    fn name(&self) -> &'static str {
        "retrieval"
    }

    fn compress(&self, input: &Compressible<'_>) -> Result<Compressed, HistoryError> {
        by_strategy(self.name(), Strategy::Retrieval, input)
    }
}

impl ContextCompressor for Deduplicate {
    fn name(&self) -> &'static str {
        "deduplicate"
    }

    fn compress(&self, input: &Compressible<'_>) -> Result<Compressed, HistoryError> {
        by_strategy(self.name(), Strategy::Views, input)
    }
}

impl ContextCompressor for Adaptive {
    fn name(&self) -> &'static str {
        "adaptive"
    }

    fn compress(&self, input: &Compressible<'_>) -> Result<Compressed, HistoryError> {
        let level = input.material.config.level(input.material.total());
        if level < Level::Heavy
            && let Ok(compressed) = by_strategy(self.name(), Strategy::Views, input)
        {
            return Ok(compressed);
        }
        let strategy = match input.summariser {
            Some(_) => Strategy::Summarise,
            None => Strategy::Retrieval,
        };
        by_strategy(self.name(), strategy, input)
    }
}

/// The compressor with this name.
#[must_use]
pub fn compressor_named(name: &str) -> Option<Box<dyn ContextCompressor>> {
    let all: [Box<dyn ContextCompressor>; 5] = [
        Box::new(Summarise),
        Box::new(Hierarchical),
        Box::new(Retrieval),
        Box::new(Deduplicate),
        Box::new(Adaptive),
    ];
    all.into_iter().find(|compressor| compressor.name() == name)
}

fn by_strategy(name: &str, strategy: Strategy, input: &Compressible<'_>) -> Result<Compressed, HistoryError> {
    let mut cache = SummaryCache::default();
    let summariser = match strategy {
        Strategy::Summarise | Strategy::Hierarchical => input.summariser,
        Strategy::Retrieval | Strategy::Views => None,
    };
    let mut summaries = Summaries::new(&mut cache, summariser, "");
    let plan = compact(&input.material, None, strategy, &mut summaries)?;
    let (n_model_calls, warnings) = (summaries.n_calls, summaries.warnings);
    let prompt = render(input.material.log, &plan);
    let mut report = HistoryReport::new(&input.material, &plan, &prompt.text, name);
    report.n_model_calls = n_model_calls;
    report.warnings = warnings;
    Ok(Compressed { plan, prompt, report })
}
