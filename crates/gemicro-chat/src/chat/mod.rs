//! One conversation that is being held: orders go in, news come out.
//!
//! An edge opens a chat, sends it [`Order`]s and shows its [`News`]; a screen and a pipe see no difference. In the
//! order of a message's way: `chat_loop` takes it, `saying` sends it, `settling` takes the answer, `turn` chooses the way to
//! the one who answers, `watch` sees the run; `book` keeps the log and writes everything down; `summarising` has old
//! turns summarised in the background (`summaries`).

mod book;
mod chat_loop;
mod config;
mod news;
mod order;
mod saying;
mod settling;
mod summaries;
mod summarising;
mod turn;
mod watch;

pub use chat_loop::{ChatLine, open_chat};
pub use config::{AgentWays, ChatConfig, FindSpeaker, Opening};
pub use news::{Chapter, Meter, News, ToolLine, ToolQuestion, ToolState};
pub use order::Order;
pub use summaries::ModelSummariser;
