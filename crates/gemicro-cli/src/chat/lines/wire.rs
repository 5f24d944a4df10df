//! News as JSON, one object per line: a contract with programs.
//!
//! Every object has a `type`. Fields are only ever added; texts are as they came, made harmless by JSON alone.

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
        /// What people call it.
        name: &'a str,
        speaker: &'a str,
        /// How many turns it has.
        n_turns: u64,
    },
    /// Somebody else answers from now on.
    Speaker {
        speaker: &'a str,
    },
    /// A message is in the log and on its way.
    Asked {
        /// The number of its turn.
        turn: u64,
        text: &'a str,
        /// The run that answers.
        run: &'a str,
        transport: &'static str,
    },
    /// The next piece of the answer.
    Text {
        text: &'a str,
    },
    /// The pieces so far do not count.
    StartedOver,
    /// A tool is used, or has ended.
    Tool {
        /// Joins the lines of one call.
        id: &'a str,
        /// What it is used for.
        text: &'a str,
        /// `running`, `done`, `failed` or `denied`.
        state: &'static str,
    },
    /// Something waits for leave.
    Question {
        key: &'a str,
        tool: &'a str,
        /// What it is to do.
        text: &'a str,
    },
    /// A question is settled.
    Settled {
        key: &'a str,
    },
    Answered {
        /// The number of its turn.
        turn: u64,
        text: &'a str,
        /// What it used, if the provider told.
        #[serde(skip_serializing_if = "Option::is_none")]
        usage: Option<&'a Usage>,
        /// How long it took.
        duration_ms: u64,
    },
    /// There is no answer.
    Failed {
        /// One of the error kinds of `gemicro schema`.
        kind: &'static str,
        message: &'a str,
        /// What to do next.
        hints: Vec<String>,
        /// The other side asked us to wait this long.
        #[serde(skip_serializing_if = "Option::is_none")]
        retry_after_ms: Option<u64>,
        /// A new conversation may help.
        offers_clear: bool,
    },
    /// The answer was given up on order.
    Stopped,
    /// Turns were taken back.
    Undone {
        /// The first of them.
        from: u64,
    },
    Notice {
        text: &'a str,
    },
    /// Something that went wrong without harm.
    Warning {
        text: &'a str,
    },
    /// An order or a message that was not taken.
    Refused {
        text: &'a str,
    },
    /// What is used now.
    Meter {
        /// Tokens of the next prompt.
        prompt_tokens: u64,
        /// Tokens that it may have.
        max_prompt_tokens: u64,
        /// Whether anything is left out of it.
        is_compressed: bool,
        /// How often the conversation was compacted.
        n_compactions: u64,
        /// Tokens used in all.
        used_tokens: u64,
        /// Those that came out of a cache.
        cached_tokens: u64,
        /// Millionths of a US dollar.
        micro_usd: u64,
        /// Tokens without a known price, by model; their money is not in `micro_usd`.
        #[serde(skip_serializing_if = "UnpricedTokens::is_empty")]
        unpriced_models: UnpricedTokens,
        /// The part that is an upper bound.
        #[serde(skip_serializing_if = "Uncertain::is_none")]
        uncertain: Uncertain,
    },
    /// The conversations that there are.
    Listed {
        conversations: &'a [ConversationRow],
    },
    /// What an earlier chat left is settled; messages are taken.
    Ready,
    Closed,
}

impl<'a> NewsLine<'a> {
    /// The line for some news, `run` being the last that was asked; `None` for those that have none.
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
            // What a newer chat tells beyond this has no line yet.
            _ => return None,
        })
    }
}
