//! [`HistoryManager`], the public interface of a conversation's history: add messages, get prompts.
//!
//! It keeps the log, its facts and the plan of the current epoch, and writes every turn only once per epoch: the next
//! prompt is the last one with the new turns appended. Summaries that arrive later are handled in `summaries`.

mod summaries;

use std::sync::Arc;

use super::compact::{Growth, Strategy, compact};
use super::epoch::Epoch;
use super::material::{Material, Record};
use super::render::render;
use super::report::HistoryReport;
use super::segments::SummarySupply;
use super::{
    Author, CompressedPrompt, Compressible, ContextCompressor, ConversationLog, FactLedger, HistoryConfig,
    HistoryError, HistoryWarning, PromptPlan, Summariser, SummaryCache, SummaryRequest, Tag, Turn,
};
use crate::tokens::{CautiousCount, FRAMING_TOKENS, TokenCount};

/// A prompt with its size and its tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptResult {
    /// The text to send.
    pub prompt: String,
    /// Estimated tokens, rather too high than too low.
    pub estimated_tokens: u64,
    /// Whether any part of the conversation is left out.
    pub was_compressed: bool,
    /// Identifies the frames; needed to parse the prompt and to check the reply.
    pub tag: Tag,
}

/// The history of one conversation.
pub struct HistoryManager {
    record: Record,
    summariser: Option<Arc<dyn Summariser>>,
    cache: SummaryCache,
    epoch: Option<Epoch>,
    wanted: Vec<SummaryRequest>,
    warnings: Vec<HistoryWarning>,
    n_compactions: u64,
    n_model_calls: usize,
    n_summary_statements_dropped: usize,
    last_prompt: String,
    prefix_kept: f64,
}

impl std::fmt::Debug for HistoryManager {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HistoryManager")
            .field("config", &self.record.config)
            .field("n_turns", &self.record.log.len())
            .field("plan", &self.plan())
            .finish_non_exhaustive()
    }
}

impl HistoryManager {
    /// A conversation without messages.
    #[must_use]
    pub fn new(config: HistoryConfig) -> Self {
        Self {
            record: Record::new(config, Arc::new(CautiousCount)),
            summariser: None,
            cache: SummaryCache::default(),
            epoch: None,
            wanted: Vec::new(),
            warnings: Vec::new(),
            n_compactions: 0,
            n_model_calls: 0,
            n_summary_statements_dropped: 0,
            last_prompt: String::new(),
            prefix_kept: 1.0,
        }
    }

    /// A history of an existing conversation.
    #[must_use]
    pub fn from_log(config: HistoryConfig, log: &ConversationLog) -> Self {
        let mut history = Self::new(config);
        for turn in log.turns() {
            history.add_turn(turn.clone());
        }
        history
    }

    /// Uses another token counter, such as the exact vocabulary of a model.
    #[must_use]
    pub fn with_counter(mut self, counter: Arc<dyn TokenCount>) -> Self {
        self.record.recount(counter);
        self.epoch = None;
        self
    }

    /// Disables the recognition of rules, decisions and finished work, to measure its effect. Only before the first
    /// turn.
    #[must_use]
    pub fn without_recognition(mut self) -> Self {
        self.record.ledger = FactLedger::without_recognition();
        self
    }

    /// Writes summaries during compaction. Without a summariser they are only requested, see
    /// [`summary_requests`](Self::summary_requests).
    #[must_use]
    pub fn with_summariser(mut self, summariser: Arc<dyn Summariser>) -> Self {
        self.summariser = Some(summariser);
        self
    }

    /// Adds summaries that were made before.
    #[must_use]
    pub fn with_summaries(mut self, cache: SummaryCache) -> Self {
        self.cache = cache;
        self
    }

    /// Continues with a stored plan and summaries: the next prompt continues the last one.
    #[must_use]
    pub fn with_plan(mut self, plan: PromptPlan, cache: SummaryCache) -> Self {
        self.cache = cache;
        self.n_compactions = plan.epoch.saturating_sub(1);
        let shown = self.record.log.cut_after(plan.shown_to);
        let text = render(&shown, &plan).text;
        let used = self.record.counter.tokens(&text);
        self.epoch = Some(Epoch {
            plan,
            text,
            used,
            tried_at: 0,
            tried_on: None,
        });
        self
    }

    /// Adds a message and returns the number of its turn.
    pub fn add_message(&mut self, author: Author, content: impl Into<String>) -> u64 {
        self.add_turn(Turn::new(author, content))
    }

    /// Adds a turn with calls, an answer or usage; returns its number.
    pub fn add_turn(&mut self, turn: Turn) -> u64 {
        self.record.add(turn)
    }

    /// The prompt for a message that the user is about to send. The message is not added; add it when it was sent.
    ///
    /// # Errors
    ///
    /// When the parts that must stay are longer than a prompt may be.
    pub fn build_prompt(&mut self, new_user_message: &str) -> Result<PromptResult, HistoryError> {
        let last_user = self.record.log.last_user();
        let number = self.record.try_on(Turn::new(Author::User, new_user_message));
        let result = self.prompt();
        if let (Some(epoch), Some(turn)) = (&mut self.epoch, self.record.log.turn(number)) {
            epoch.take_back(&self.record.material(), turn);
        }
        self.record.withdraw(last_user);
        result
    }

    /// The prompt for the current conversation, up to its last turn.
    ///
    /// # Errors
    ///
    /// When the parts that must stay are longer than a prompt may be.
    pub fn prompt(&mut self) -> Result<PromptResult, HistoryError> {
        self.warnings.clear();
        let total = self.estimated_total_tokens();
        if total >= self.record.config.warn_tokens {
            self.warnings
                .push(HistoryWarning::LongConversation { tokens: total });
        }
        let epoch = self.brought_up()?;
        let result = PromptResult {
            prompt: epoch.text.clone(),
            estimated_tokens: epoch.used + FRAMING_TOKENS,
            was_compressed: epoch.plan.compresses(),
            tag: epoch.plan.tag.clone(),
        };
        self.epoch = Some(epoch);
        self.prefix_kept = common_prefix(&self.last_prompt, &result.prompt);
        self.last_prompt.clone_from(&result.prompt);
        Ok(result)
    }

    /// Discards the current plan: the next prompt is made afresh and filled up, as after a restart.
    pub fn drop_plan(&mut self) {
        self.epoch = None;
        self.last_prompt.clear();
    }

    /// Makes a new plan for at most half of the usual length, for use after a timeout.
    ///
    /// # Errors
    ///
    /// When the parts that must stay are longer than that.
    pub fn compress_harder(&mut self) -> Result<(), HistoryError> {
        let config = HistoryConfig {
            max_prompt_tokens: self.record.config.limit() / 2,
            ..self.record.config.clone()
        };
        let material = Material {
            config: &config,
            ..self.record.material()
        };
        let before = self.epoch.as_ref().map(|epoch| &epoch.plan);
        let mut summaries =
            SummarySupply::new(&mut self.cache, self.summariser.as_deref(), &self.last_prompt);
        let way = (Strategy::Summarise, Growth::Continued);
        let plan = compact(&material, before, way, &mut summaries)?;
        self.wanted = summaries.wanted;
        let next = Epoch::of_plan(&material, plan);
        self.n_compactions += 1;
        self.epoch = Some(next);
        Ok(())
    }

    /// The prompt that another compressor would make of the conversation; changes nothing.
    ///
    /// # Errors
    ///
    /// When it does not fit.
    pub fn compressed_by(
        &self,
        compressor: &dyn ContextCompressor,
    ) -> Result<CompressedPrompt, HistoryError> {
        compressor.compress(&Compressible {
            material: self.record.material(),
            summariser: self.summariser.as_deref(),
        })
    }

    /// Clears everything, including the summaries.
    pub fn clear_history(&mut self) {
        let mut fresh = Self::new(self.record.config.clone());
        fresh.record.counter = Arc::clone(&self.record.counter);
        fresh.summariser = self.summariser.take();
        *self = fresh;
    }

    /// Number of messages.
    #[must_use]
    pub fn message_count(&self) -> usize {
        self.record.log.turns().len()
    }

    /// Estimated tokens of the whole conversation.
    #[must_use]
    pub fn estimated_total_tokens(&self) -> u64 {
        self.record.costs.iter().sum()
    }

    /// Tokens that a prompt would need now, estimated without making one.
    #[must_use]
    pub fn present_tokens(&self) -> u64 {
        let limit = self.record.config.limit();
        let epoch = self.epoch.as_ref().map(|epoch| epoch.used + FRAMING_TOKENS);
        epoch.unwrap_or_else(|| self.estimated_total_tokens()).min(limit)
    }

    /// The settings that prompts are made with.
    #[must_use]
    pub fn config(&self) -> &HistoryConfig {
        &self.record.config
    }

    /// The complete turns so far.
    #[must_use]
    pub fn log(&self) -> &ConversationLog {
        &self.record.log
    }

    /// The plan of the last prompt.
    #[must_use]
    pub fn plan(&self) -> Option<&PromptPlan> {
        self.epoch.as_ref().map(|epoch| &epoch.plan)
    }

    /// The summaries so far.
    #[must_use]
    pub fn summaries(&self) -> &SummaryCache {
        &self.cache
    }

    /// Warnings about the last prompt, for the user.
    #[must_use]
    pub fn warnings(&self) -> &[HistoryWarning] {
        &self.warnings
    }

    /// Number of compactions of the conversation.
    #[must_use]
    pub fn compaction_count(&self) -> u64 {
        self.n_compactions
    }

    /// A report on what the last prompt keeps and has lost; `None` before the first.
    #[must_use]
    pub fn report(&self) -> Option<HistoryReport> {
        let epoch = self.epoch.as_ref()?;
        let material = self.record.material();
        let mut plan = epoch.plan.clone();
        // A message that was taken back is still in the prompt, with its recalled statements.
        let tried_on = epoch.tried_on.iter().map(|(_, recalled)| recalled.clone());
        plan.recalled
            .extend(tried_on.filter(|recalled| recalled.before > epoch.plan.shown_to));
        let mut report = HistoryReport::new(&material, &plan, &self.last_prompt, "summarise");
        report.prefix_kept = self.prefix_kept;
        report.n_compactions = self.n_compactions;
        report.n_model_calls = self.n_model_calls;
        report.n_summary_statements_dropped = self.n_summary_statements_dropped;
        report.warnings = self.warnings.clone();
        Some(report)
    }

    /// The epoch with all turns in it: the current one, or a new one if they do not fit or a new one is due.
    fn brought_up(&mut self) -> Result<Epoch, HistoryError> {
        let material = self.record.material();
        let mut epoch = self.epoch.take().unwrap_or_else(|| Epoch::first(&material));
        let fits = epoch.extend(&material);
        if fits && !epoch.is_due(&material) {
            return Ok(epoch);
        }
        match self.next_epoch(&epoch, fits) {
            Ok(Some(next)) => Ok(next),
            Ok(None) => {
                epoch.note_useless_compaction(&self.record.material());
                Ok(epoch)
            }
            Err(error) => {
                self.epoch = Some(epoch);
                Err(error)
            }
        }
    }

    /// The next epoch; `None` if the current one fits and compaction would gain nothing.
    fn next_epoch(&mut self, epoch: &Epoch, fits: bool) -> Result<Option<Epoch>, HistoryError> {
        let material = self.record.material();
        let limit = self.record.config.limit();
        if !self.record.config.enable_compression {
            let needed = material.total() + FRAMING_TOKENS;
            return Err(HistoryError::NotCompressed { needed, limit });
        }
        let mut summaries = SummarySupply::new(&mut self.cache, self.summariser.as_deref(), &epoch.text);
        let growth = if self.last_prompt.is_empty() {
            Growth::Alone
        } else {
            Growth::Continued
        };
        let way = (Strategy::Summarise, growth);
        let plan = compact(&material, Some(&epoch.plan), way, &mut summaries)?;
        let (wanted, warnings) = (summaries.wanted, summaries.warnings);
        self.n_model_calls += summaries.n_calls;
        self.n_summary_statements_dropped += summaries.n_dropped;
        let next = Epoch::of_plan(&material, plan);
        // A compaction that gains nothing does not justify a new prefix.
        let gains = next.used < epoch.used || next.plan.n_decisions_lost < epoch.plan.n_decisions_lost;
        if fits && !gains {
            return Ok(None);
        }
        self.wanted = wanted;
        self.warnings.extend(warnings);
        self.n_compactions += 1;
        Ok(Some(next))
    }
}

/// The share of the earlier text that the later one starts with.
#[expect(clippy::cast_precision_loss, reason = "a share needs no more than 53 bits")]
fn common_prefix(earlier: &str, later: &str) -> f64 {
    if earlier.is_empty() {
        return 1.0;
    }
    let common = earlier
        .bytes()
        .zip(later.bytes())
        .take_while(|(left, right)| left == right)
        .count();
    common as f64 / earlier.len() as f64
}
