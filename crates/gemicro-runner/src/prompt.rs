//! Builds prompts whose text a CLI does not interpret as commands.
//!
//! CLIs replace `@path` with that file's content and treat a leading `/name` as a command. That is allowed in the
//! user's own current message. In any other text (history, sources, templates, other agents' text) it would let that
//! text read files. The main type is [`AgentPrompt`].

use gemicro_event::{ErrorKind, Failure};

/// Maximum size of a prompt. Gemini truncates longer input and then does nothing, with exit code 0.
pub const MAX_PROMPT_BYTES: usize = 8 * 1024 * 1024;

/// Prefix for text that would start with a command. Not white space, which would be trimmed.
const NOT_A_COMMAND: &str = "Message:\n\n";

/// A prompt: parts in order, each with its origin.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AgentPrompt {
    parts: Vec<PromptPart>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct PromptPart {
    text: String,
    origin: PromptOrigin,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PromptOrigin {
    User,
    Other,
}

impl AgentPrompt {
    /// The user's own current message, as it was typed.
    #[must_use]
    pub fn user(text: impl Into<String>) -> Self {
        Self::default().and_user(text)
    }

    /// Any other text: history, sources, rendered templates, other agents' text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::default().and_text(text)
    }

    /// Appends the user's own current message.
    #[must_use]
    pub fn and_user(self, text: impl Into<String>) -> Self {
        self.and(text.into(), PromptOrigin::User)
    }

    /// Appends any other text.
    #[must_use]
    pub fn and_text(self, text: impl Into<String>) -> Self {
        self.and(text.into(), PromptOrigin::Other)
    }

    /// Inserts other text before everything else.
    #[must_use]
    pub fn after_text(mut self, text: impl Into<String>) -> Self {
        let text = text.into();
        self.parts.insert(
            0,
            PromptPart {
                text,
                origin: PromptOrigin::Other,
            },
        );
        self
    }

    fn and(mut self, text: String, origin: PromptOrigin) -> Self {
        self.parts.push(PromptPart { text, origin });
        self
    }

    /// Renders the text for a CLI with these habits.
    ///
    /// # Errors
    /// `invalid_input` when it is empty or longer than [`MAX_PROMPT_BYTES`].
    pub(crate) fn render(&self, habits: Habits) -> Result<String, Failure> {
        // Checked before copying, because the parts alone may be too long.
        let n_bytes: usize = self.parts.iter().map(|part| part.text.len()).sum();
        check_length(n_bytes)?;
        let mut text = String::with_capacity(n_bytes);
        let mut begins_by_user = None;
        for part in &self.parts {
            if begins_by_user.is_none() && !part.text.trim_start().is_empty() {
                begins_by_user = Some(part.origin == PromptOrigin::User);
            }
            if part.origin == PromptOrigin::Other && text.ends_with('@') {
                // A trailing `@` of the user must not take its path from another part.
                text.push(' ');
            }
            match (part.origin, habits.mentions) {
                (PromptOrigin::User, _) | (PromptOrigin::Other, Mentions::None) => text.push_str(&part.text),
                (PromptOrigin::Other, Mentions::Anywhere) => escape_mentions(&part.text, &mut text, |_| true),
                (PromptOrigin::Other, Mentions::WordStart) => {
                    escape_mentions(&part.text, &mut text, |before| {
                        !before.is_some_and(char::is_alphanumeric)
                    });
                }
            }
        }
        if text.trim().is_empty() {
            return Err(Failure::new(ErrorKind::InvalidInput, "the prompt is empty"));
        }
        let is_command = text.trim_start().starts_with(habits.commands);
        if is_command && begins_by_user == Some(false) {
            text.insert_str(0, NOT_A_COMMAND);
        }
        check_length(text.len())?;
        Ok(text)
    }
}

/// How a CLI interprets a prompt unless it is prevented.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Habits {
    /// Where it replaces `@path`.
    pub(crate) mentions: Mentions,
    /// Characters that start a command.
    pub(crate) commands: &'static [char],
}

/// Where a CLI replaces `@path`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mentions {
    None,
    /// At the start of a word.
    WordStart,
    /// Also inside words: `jane@example.com` is looked up as a file.
    Anywhere,
}

/// Puts a backslash before each `@` that could start a path, unless it already has one.
fn escape_mentions(text: &str, out: &mut String, can_begin: impl Fn(Option<char>) -> bool) {
    let mut before = out.chars().next_back();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        // At the end of a part, the next part may continue with a path.
        let goes_on = !chars.peek().is_some_and(|next| next.is_ascii_whitespace());
        if c == '@' && before != Some('\\') && goes_on && can_begin(before) {
            out.push('\\');
        }
        out.push(c);
        before = Some(c);
    }
}

fn check_length(n_bytes: usize) -> Result<(), Failure> {
    if n_bytes > MAX_PROMPT_BYTES {
        return Err(Failure::new(
            ErrorKind::InvalidInput,
            format!("the prompt has {n_bytes} bytes, more than the {MAX_PROMPT_BYTES} that agents read"),
        ));
    }
    Ok(())
}

#[cfg(test)]
#[path = "prompt_tests.rs"]
mod tests;
