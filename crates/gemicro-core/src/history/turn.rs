//! One turn of a conversation: its author, its text, and how far it is trusted.
//!
//! The main type is [`Turn`]. It is stored in journals and is independent of prompts.

use gemicro_event::Usage;
use serde::{Deserialize, Serialize};

/// The author of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Author {
    /// The person in the conversation.
    User,
    /// The model or agent that answers.
    Assistant,
    /// A program the model called.
    Tool,
    /// gemicro, or the program that set up the conversation.
    System,
}

impl Author {
    /// The name in frames and files.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
            Self::System => "system",
        }
    }

    /// The author with this name; `None` if unknown.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        [Self::User, Self::Assistant, Self::Tool, Self::System]
            .into_iter()
            .find(|author| author.as_str() == word)
    }

    /// The default trust in this author.
    #[must_use]
    pub(crate) fn usual_trust(self) -> Trust {
        match self {
            Self::User | Self::System => Trust::Instruction,
            Self::Assistant => Trust::Model,
            Self::Tool => Trust::Data,
        }
    }

    /// The default kind of this author's turns.
    #[must_use]
    pub(crate) fn usual_kind(self) -> TurnKind {
        match self {
            Self::User | Self::Assistant => TurnKind::Message,
            Self::Tool => TurnKind::ToolOutput,
            Self::System => TurnKind::Note,
        }
    }
}

/// The kind of text in a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TurnKind {
    /// Something that a person or a model said.
    Message,
    /// Output of a tool.
    ToolOutput,
    /// A remark of the program, such as "the reply was cut".
    Note,
    /// A sentence that the user pinned: always a rule.
    Pin,
}

/// How far the text of a turn is trusted. Only `Instruction` makes rules; `Data` never makes decisions.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Trust {
    /// Text from outside: only a source of facts.
    Data,
    /// Text of the model: facts, decisions, finished items.
    Model,
    /// Text of the user: also rules.
    Instruction,
}

/// A tool call that an assistant turn makes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ToolCall {
    /// Id of the call; its answer has it too.
    pub id: String,
    /// Name of the tool that is called.
    pub name: String,
    /// Its arguments.
    #[serde(default)]
    pub args: serde_json::Value,
    /// Whether it is known to be still running.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub open: bool,
}

/// The call that a tool turn answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct AnsweredCall {
    /// The id of the call.
    pub call: String,
    /// Name of the tool; empty if unknown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
}

/// One turn. Numbers count from 1 without gaps and are assigned by the log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Turn {
    /// Its number in the log.
    pub number: u64,
    /// Whether a person, a model, a tool or the system wrote it.
    pub author: Author,
    /// The kind of text.
    pub kind: TurnKind,
    /// How far it is trusted.
    pub trust: Trust,
    /// The text, byte for byte.
    pub text: String,
    /// The tool calls that it makes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<ToolCall>,
    /// The tool call that it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<AnsweredCall>,
    /// Its cost. For accounting only: never part of a prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

impl Turn {
    /// A turn of this author with default kind and trust. The log assigns the number.
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
