//! The orders of a chat.

use std::path::PathBuf;

/// An order to a chat. Orders are handled one after the other. While an answer is pending, only [`Stop`](Self::Stop),
/// [`Answer`](Self::Answer) and [`Quit`](Self::Quit) are accepted; for others, the user is asked to wait.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Order {
    /// Sends a message to the speaker.
    Say(String),
    /// Stops the pending answer; the message stays.
    Stop,
    /// Answers a question from the pending turn.
    Answer {
        /// Which question.
        key: String,
        /// Whether the tool may be used.
        allow: bool,
    },
    /// Changes the agent or model that answers; without a name, the chat lists the current one and the choices.
    Model(Option<String>),
    /// Compresses the prompt now.
    Compact,
    /// Keeps a sentence in every prompt; without one, the user's last message.
    Pin(Option<String>),
    /// Withdraws the last message and its answer.
    Undo,
    /// Begins a new conversation with the same speaker; the old one is kept.
    Clear,
    /// Writes the conversation to a file, as `gemicro conversations export` does.
    Export(PathBuf),
    /// Lists the stored conversations.
    Sessions,
    /// Opens another conversation, by id or id prefix.
    Open(String),
    /// Shows the usage so far.
    Cost,
    /// Ends the chat. A pending answer is stopped.
    Quit,
}
