//! What a person wants of a chat.

use std::path::PathBuf;

/// Something to be done. Orders are taken one after the other; while an answer is on its way only
/// [`Stop`](Self::Stop), [`Answer`](Self::Answer) and [`Quit`](Self::Quit) are; for the others, the user is asked to wait.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Order {
    /// Says something to whoever answers.
    Say(String),
    /// Gives up the answer that is on its way; the message stays.
    Stop,
    /// Answers a question that was asked on the way to an answer.
    Answer {
        /// Which question.
        key: String,
        /// Whether the tool may be used.
        allow: bool,
    },
    /// From now on this agent or model answers; without a name, the chat lists the current one and the choices.
    Model(Option<String>),
    /// Makes the prompt short now.
    Compact,
    /// Keeps a sentence in every prompt; without one, the user's last message.
    Pin(Option<String>),
    /// Takes back the last message and its answer.
    Undo,
    /// Begins a new conversation with the same one who answers; the old one is kept.
    Clear,
    /// Writes the conversation to a file, as `gemicro conversations export` does.
    Export(PathBuf),
    /// Asks for the conversations that there are.
    Sessions,
    /// Goes on with another conversation, named by its id or the beginning of it.
    Open(String),
    /// Asks what was used so far.
    Cost,
    /// Ends the chat. An answer that is on its way is given up.
    Quit,
}
