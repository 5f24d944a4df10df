//! One turn of a conversation: who said what, and how far it may be believed.
//!
//! The main type is [`Turn`]. It is what a journal stores; it knows nothing of prompts.

use gemicro_event::Usage;
use serde::{Deserialize, Serialize};

/// Who wrote a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Author {
    /// The person who holds the conversation.
    User,
    /// The model or agent that answers.
    Assistant,
    /// A program the model called.
    Tool,
    /// gemicro or whoever set the conversation up.
    System,
}

impl Author {
    /// The word for it in a frame and in a file.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
            Self::System => "system",
        }
    }

    /// The author with this name; `None` for any other word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        [Self::User, Self::Assistant, Self::Tool, Self::System]
            .into_iter()
            .find(|author| author.as_str() == word)
    }

    /// How far this author is believed unless a turn says otherwise.
    #[must_use]
    pub(crate) fn usual_trust(self) -> Trust {
        match self {
            Self::User | Self::System => Trust::Instruction,
            Self::Assistant => Trust::Model,
            Self::Tool => Trust::Data,
        }
    }

    /// What this author usually writes.
    #[must_use]
    pub(crate) fn usual_kind(self) -> TurnKind {
        match self {
            Self::User | Self::Assistant => TurnKind::Message,
            Self::Tool => TurnKind::ToolOutput,
            Self::System => TurnKind::Note,
        }
    }
}

/// What sort of text a turn holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TurnKind {
    /// Something that a person or a model said.
    Message,
    /// What a tool printed.
    ToolOutput,
    /// A remark of the program, such as "the reply was cut".
    Note,
    /// A sentence that the user pinned: a rule, whatever its words.
    Pin,
}

/// How far the text of a turn is believed. Only `Instruction` makes rules; `Data` never decides anything.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Trust {
    /// Text from outside: facts at most.
    Data,
    /// The model's own words: facts, decisions, finished items.
    Model,
    /// The user's words: rules as well.
    Instruction,
}

/// A tool call that an assistant turn makes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ToolCall {
    /// Names the call; the answer carries it.
    pub id: String,
    /// Name of the tool that is called.
    pub name: String,
    /// What it is called with.
    #[serde(default)]
    pub args: serde_json::Value,
    /// It is known to be still running.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub open: bool,
}

/// Which call a tool turn answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct AnsweredCall {
    /// The id of the call.
    pub call: String,
    /// Name of the tool; empty where it is not known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
}

/// One turn. Numbers count from 1 without gaps; a log gives them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Turn {
    /// Its place in the log.
    pub number: u64,
    /// Whether a person, a model, a tool or the system wrote it.
    pub author: Author,
    /// What sort of text it is.
    pub kind: TurnKind,
    /// How far it is believed.
    pub trust: Trust,
    /// What was written, byte for byte.
    pub text: String,
    /// The calls it makes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<ToolCall>,
    /// The call it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<AnsweredCall>,
    /// What it cost. Bookkeeping: never part of a prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

impl Turn {
    /// A turn of this author with what is usual for them. The number is given when it is added to a log.
    #[must_use]
    pub fn new(author: Author, text: impl Into<String>) -> Self {
        Self {
            number: 0,
            author,
            kind: author.usual_kind(),
            trust: author.usual_trust(),
            text: text.into(),
            calls: Vec::new(),
            answers: None,
            usage: None,
        }
    }
}
