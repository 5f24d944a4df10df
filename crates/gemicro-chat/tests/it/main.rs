//! Conversations and chats over a real engine and a real store.

mod chat;
mod chat_summaries;
mod chat_world;
mod conversations;
mod memory;
#[path = "../../../gemicro-store/tests/it/server.rs"]
#[expect(
    dead_code,
    clippy::unwrap_used,
    reason = "the tests of the store need more of it, and stop where they cannot go on"
)]
mod server;
mod support;
