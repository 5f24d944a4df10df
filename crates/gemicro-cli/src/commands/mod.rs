//! One command, one file: what it takes, and one function that does it.

pub(crate) mod answer;
pub(crate) mod ask;
pub(crate) mod batch;
pub(crate) mod cancel;
pub(crate) mod chat;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod conversations;
pub(crate) mod dead_letters;
pub(crate) mod doctor;
pub(crate) mod events;
pub(crate) mod guard;
pub(crate) mod man;
pub(crate) mod mcp;
pub(crate) mod ooda;
pub(crate) mod prune;
pub(crate) mod research;
pub(crate) mod resume;
pub(crate) mod retry;
pub(crate) mod runs;
pub(crate) mod schema;
pub(crate) mod serve;
pub(crate) mod show;
pub(crate) mod sim;
pub(crate) mod store;
pub(crate) mod worker;
