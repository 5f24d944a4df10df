//! The compressor port: its trait, input and output.

use super::super::material::Material;
use super::super::{HistoryError, HistoryReport, Prompt, PromptPlan, Summariser};

/// Input of a compressor.
#[derive(Clone, Copy)]
pub struct Compressible<'a> {
    /// The log with its facts, index and token counts.
    pub material: Material<'a>,
    /// Writes summaries, if one is available.
    pub summariser: Option<&'a dyn Summariser>,
}

impl std::fmt::Debug for Compressible<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Compressible")
            .field("material", &self.material)
            .field("has_summariser", &self.summariser.is_some())
            .finish()
    }
}

/// A conversation compressed to the size of a prompt.
#[derive(Debug, Clone, PartialEq)]
pub struct CompressedPrompt {
    /// The plan of the prompt.
    pub plan: PromptPlan,
    /// The prompt that is sent.
    pub prompt: Prompt,
    /// Ratio, retention and cost.
    pub report: HistoryReport,
}

/// A way to compress a conversation into a prompt.
pub trait ContextCompressor: Send + Sync {
    /// Its name in settings and reports.
    fn name(&self) -> &'static str;

    /// Compresses the whole conversation into one prompt.
    ///
    /// # Errors
    ///
    /// When it does not fit.
    fn compress(&self, input: &Compressible<'_>) -> Result<CompressedPrompt, HistoryError>;
}
