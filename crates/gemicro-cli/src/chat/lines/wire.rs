//! News as JSON, one object per line: a stable interface for programs.
//!
//! Every object has a `type`. Fields are only ever added; texts are unchanged, made harmless only by JSON escaping.

use gemicro_chat::{ConversationRow, News, ToolState, Transport};
use gemicro_event::{StreamId, Uncertain, UnpricedTokens, Usage};
use serde::Serialize;

use crate::chat::words;

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum NewsLine<'a> {
    /// A conversation is open.
    Opened {
        conversation: &'a str,
        /// Its name for people.
        name: &'a str,
        speaker: &'a str,
        /// Number of its turns.
        n_turns: u64,
    },
    /// Another agent or model answers from now on.
    Speaker {
        speaker: &'a str,
    },
    /// A message is in the log and is being answered.
    Asked {
        /// The number of its turn.
        turn: u64,
        text: &'a str,
        /// The run that answers.
        run: &'a str,
        transport: &'static str,
    },
    /// The next part of the answer.
    Text {
        text: &'a str,
    },
    /// The parts so far are void.
    StartedOver,
    /// A tool call started or ended.
    Tool {
        /// Identifies the lines of one call.
        id: &'a str,
        /// The purpose of the call.
        text: &'a str,
        /// `running`, `done`, `failed` or `denied`.
        state: &'static str,
    },
    /// A call needs permission.
    Question {
        key: &'a str,
        tool: &'a str,
        /// What the call would do.
        text: &'a str,
    },
    /// A question was answered or withdrawn.
    Settled {
        key: &'a str,
    },
    Answered {
        /// The number of its turn.
        turn: u64,
        text: &'a str,
        /// Its token usage, if the provider reports it.
        #[serde(skip_serializing_if = "Option::is_none")]
        usage: Option<&'a Usage>,
        /// Its duration.
        duration_ms: u64,
    },
    /// There is no answer.
    Failed {
        /// One of the error kinds of `gemicro schema`.
        kind: &'static str,
        message: &'a str,
        /// What to do next.
        hints: Vec<String>,
        /// The provider asks to wait this long.
        #[serde(skip_serializing_if = "Option::is_none")]
        retry_after_ms: Option<u64>,
        /// Whether a new conversation may help.
        offers_clear: bool,
    },
    /// The answer was cancelled by an order.
    Stopped,
    Undone {
        /// The first of them.
        from: u64,
    },
    Notice {
        text: &'a str,
    },
    /// Something went wrong, without harm.
    Warning {
        text: &'a str,
    },
    /// An order or a message was refused.
    Refused {
        text: &'a str,
    },
    Meter {
        /// Tokens of the next prompt.
        prompt_tokens: u64,
        /// Maximum number of tokens of a prompt.
        max_prompt_tokens: u64,
        /// Whether anything is left out of the prompt.
        is_compressed: bool,
        /// How often the conversation was compacted.
        n_compactions: u64,
        /// Total number of tokens used.
        used_tokens: u64,
        /// Tokens that came from a cache.
        cached_tokens: u64,
        /// Cost in millionths of a US dollar.
        micro_usd: u64,
        /// Tokens without a known price, by model; their cost is not in `micro_usd`.
        #[serde(skip_serializing_if = "UnpricedTokens::is_empty")]
        unpriced_models: UnpricedTokens,
        /// The part that is an upper bound.
        #[serde(skip_serializing_if = "Uncertain::is_none")]
        uncertain: Uncertain,
    },
    Listed {
        conversations: &'a [ConversationRow],
    },
    /// Work left by an earlier chat is done; messages are accepted.
    Ready,
    Closed,
}

impl<'a> NewsLine<'a> {
    /// The line for some news; `run` is the last one that was started. `None` for news without a line.
    pub(super) fn of(news: &'a News, run: Option<&StreamId>) -> Option<Self> {
        Some(match news {
            News::Opened(chapter) => Self::Opened {
                conversation: chapter.id.as_str(),
                name: &chapter.name,
                speaker: &chapter.speaker,
                n_turns: chapter.n_turns,
            },
            News::Asked { turn, run, transport } => Self::Asked {
                turn: turn.number,
                text: &turn.text,
                run: run.as_str(),
                transport: match transport {
                    Transport::Native => "native",
                    Transport::Rendered => "rendered",
                },
            },
            News::Speaker(speaker) => Self::Speaker { speaker },
            News::Text(text) => Self::Text { text },
            News::StartedOver => Self::StartedOver,
            News::Tool(tool) => Self::Tool {
                id: &tool.id,
                text: &tool.text,
                state: match tool.state {
                    ToolState::Running => "running",
                    ToolState::Done => "done",
                    ToolState::Failed => "failed",
                    ToolState::Denied => "denied",
                    ToolState::Stopped => "stopped",
                },
            },
            News::Question(question) => Self::Question {
                key: &question.key,
                tool: &question.tool,
                text: &question.text,
            },
            News::Settled { key } => Self::Settled { key },
            News::Answered {
                turn,
                usage,
                duration_ms,
            } => Self::Answered {
                turn: turn.number,
                text: &turn.text,
                usage: usage.as_ref(),
                duration_ms: *duration_ms,
            },
            News::Failed {
                failure,
                offers_clear,
            } => Self::Failed {
                kind: failure.kind.as_str(),
                message: &failure.message,
                hints: words::hints(failure, run, *offers_clear),
                retry_after_ms: failure.retry_after_ms,
                offers_clear: *offers_clear,
            },
            News::Stopped => Self::Stopped,
            News::Undone { from } => Self::Undone { from: *from },
            News::Notice(text) => Self::Notice { text },
            News::Warning(text) => Self::Warning { text },
            News::Refused(text) => Self::Refused { text },
            News::Meter(meter) => Self::Meter {
                prompt_tokens: meter.prompt_tokens,
                max_prompt_tokens: meter.max_prompt_tokens,
                is_compressed: meter.is_compressed,
                n_compactions: meter.n_compactions,
                used_tokens: meter.spent.tokens,
                cached_tokens: meter.cached_tokens,
                micro_usd: meter.spent.micro_usd,
                unpriced_models: meter.spent.unpriced_models,
                uncertain: meter.spent.uncertain,
            },
            News::Listed(rows) => Self::Listed { conversations: rows },
            News::Ready => Self::Ready,
            News::Closed => Self::Closed,
            // News from a newer chat has no line yet.
            _ => return None,
        })
    }
}
