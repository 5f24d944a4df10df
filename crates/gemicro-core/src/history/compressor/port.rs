//! The port: what a compressor gets and gives.

use super::super::material::Material;
use super::super::{HistoryError, HistoryReport, Prompt, PromptPlan, Summariser};

/// What a compressor works on.
#[derive(Clone, Copy)]
pub struct Compressible<'a> {
    /// The log and what is known about it.
    pub material: Material<'a>,
    /// Writes summaries, where one is to be had.
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

/// A conversation cut down to the size of a prompt.
#[derive(Debug, Clone, PartialEq)]
pub struct CompressedPrompt {
    /// What the prompt shows.
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
