//! Conversations in `prompt` tasks. Earlier messages become one prompt, framed so that no message can forge another,
//! and the output has the whole conversation with the reply.

use gemicro_core::history::{
    Author, ConversationLog, Prompt, PromptPlan, Tag, Turn, cut_invented, read_prompt, render,
};
use gemicro_core::llm::LlmRequest;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::parameters::{ParameterError, require_text};

/// The label of a call that starts a conversation.
const FIRST: &str = "first_message";
/// Prefix of the label of a call with earlier messages; the tag of their frames follows.
const FRAMED: &str = "messages ";

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChatMessage {
    /// Whether the user or the model wrote it.
    pub role: ChatRole,
    /// The text of the message.
    pub content: String,
}

/// The author of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChatRole {
    /// The user.
    User,
    /// The model; `model` is accepted as well.
    #[serde(alias = "model")]
    Assistant,
}

impl ChatRole {
    fn author(self) -> Author {
        match self {
            Self::User => Author::User,
            Self::Assistant => Author::Assistant,
        }
    }
}

/// Builds the prompt and the label of the call from the earlier messages and the new one.
pub(super) fn prompt_of(
    prompt: Option<String>,
    messages: Option<Vec<ChatMessage>>,
) -> Result<(String, String), ParameterError> {
    let Some(mut messages) = messages else {
        let prompt = prompt.ok_or_else(|| ParameterError::new("", "give `prompt`, or `messages`"))?;
        require_text(&prompt, "/prompt")?;
        return Ok((prompt, "prompt".to_owned()));
    };
    for (idx, message) in messages.iter().enumerate() {
        require_text(&message.content, &format!("/messages/{idx}/content"))?;
    }
    if let Some(content) = prompt {
        require_text(&content, "/prompt")?;
        messages.push(ChatMessage {
            role: ChatRole::User,
            content,
        });
    }
    if messages.last().is_none_or(|last| last.role != ChatRole::User) {
        let message = "the last message must be the user's; give it here, or as `prompt`";
        return Err(ParameterError::new("/messages", message));
    }
    if let [only] = messages.as_slice() {
        return Ok((only.content.clone(), FIRST.to_owned()));
    }
    let mut log = ConversationLog::new();
    for message in &messages {
        log.append(Turn::new(message.role.author(), message.content.as_str()));
    }
    let texts = messages.iter().map(|message| message.content.as_str());
    let tag = Tag::unused_in("messages of a task", texts);
    let label = format!("{FRAMED}{}", tag.as_str());
    Ok((render(&log, &PromptPlan::verbatim(tag)).text, label))
}

/// The reply without turns that the model invented, and the whole conversation with it. `None` if the task is not a
/// conversation.
pub(super) fn continue_conversation(request: &LlmRequest, reply: &str) -> Option<(String, Vec<ChatMessage>)> {
    let message = |role: ChatRole, content: &str| ChatMessage {
        role,
        content: content.to_owned(),
    };
    if request.label == FIRST {
        let messages = vec![
            message(ChatRole::User, &request.prompt),
            message(ChatRole::Assistant, reply),
        ];
        return Some((reply.to_owned(), messages));
    }
    let tag = Tag::parse(request.label.strip_prefix(FRAMED)?)?;
    let kept = match cut_invented(reply, &tag).kept.trim_end() {
        // A reply that consists only of invented turns is shown rather than lost.
        "" => reply,
        kept => kept,
    };
    let prompt = Prompt {
        text: request.prompt.clone(),
        tag,
    };
    let turns = read_prompt(&prompt).ok()?.turns;
    let mut messages: Vec<ChatMessage> = turns
        .iter()
        .map(|turn| match turn.author {
            Author::Assistant => message(ChatRole::Assistant, &turn.text),
            Author::User | Author::Tool | Author::System => message(ChatRole::User, &turn.text),
        })
        .collect();
    messages.push(message(ChatRole::Assistant, kept));
    Some((kept.to_owned(), messages))
}
