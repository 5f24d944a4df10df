//! Settings: maximum length of prompts, and when they are compressed.

use serde::{Deserialize, Serialize};

use crate::tokens::FRAMING_TOKENS;

/// The settings of a conversation's history. All sizes are tokens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HistoryConfig {
    /// Maximum tokens of a prompt.
    pub max_prompt_tokens: u64,
    /// Size of the conversation from which old turns are summarised.
    pub summary_threshold: u64,
    /// Number of recent messages that stay unchanged.
    pub recent_message_count: usize,
    /// Whether prompts are compressed at all. If not, a conversation that is too long is refused.
    pub enable_compression: bool,
    /// Number of first messages that stay while the conversation is of medium length.
    pub first_message_count: usize,
    /// Size of the conversation below which nothing is compressed.
    pub none_below: u64,
    /// Size of the conversation above which only the last messages stay.
    pub heavy_above: u64,
    /// Part of the model's limit that is reserved for the reply.
    pub reply_reserve: u64,
    /// Size of the conversation from which the user is warned that it is long.
    pub warn_tokens: u64,
    /// Maximum tokens of a prompt, even if `max_prompt_tokens` is larger.
    pub hard_max_tokens: u64,
    /// The model's limit for prompt and reply together.
    pub model_limit: u64,
    /// Maximum tokens for facts that compaction would lose; defaults to a sixth of the prompt.
    pub ledger_cap_tokens: Option<u64>,
}

impl Default for HistoryConfig {
    fn default() -> Self {
        Self {
            max_prompt_tokens: 16_000,
            summary_threshold: 8_000,
            recent_message_count: 8,
            enable_compression: true,
            first_message_count: 2,
            none_below: 5_000,
            heavy_above: 15_000,
            reply_reserve: 6_000,
            warn_tokens: 16_000,
            hard_max_tokens: 60_000,
            model_limit: 900_000,
            ledger_cap_tokens: None,
        }
    }
}

impl HistoryConfig {
    /// Maximum length of a prompt under all settings.
    #[must_use]
    pub fn limit(&self) -> u64 {
        let hard = self
            .hard_max_tokens
            .min(self.model_limit.saturating_sub(self.reply_reserve));
        if self.enable_compression {
            self.max_prompt_tokens.min(hard)
        } else {
            hard
        }
    }

    /// The same without the tokens that a chat format adds.
    pub(super) fn room(&self) -> u64 {
        self.limit().saturating_sub(FRAMING_TOKENS)
    }

    /// Maximum tokens of written-out facts.
    pub(super) fn ledger_cap(&self) -> u64 {
        self.ledger_cap_tokens.unwrap_or(self.limit() / 6)
    }

    /// The compression level for a conversation of this size.
    #[must_use]
    pub fn level(&self, conversation_tokens: u64) -> Level {
        match conversation_tokens {
            _ if !self.enable_compression => Level::None,
            tokens if tokens < self.none_below => Level::None,
            tokens if tokens <= self.heavy_above => Level::Window,
            _ => Level::Heavy,
        }
    }
}

/// How strongly a conversation is compressed.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Nothing is left out.
    None,
    /// The first and the last messages stay, the middle is compressed.
    Window,
    /// Only the last messages stay.
    Heavy,
}
