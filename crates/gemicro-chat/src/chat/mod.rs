//! A chat in one conversation: it takes orders and sends news.
//!
//! A user interface opens a chat, sends it [`Order`]s and shows its [`News`], on a screen or through a pipe. In the
//! order of a message: `chat_loop` takes it, `saying` sends it, `turn` chooses how, `watch` follows the run, `settling`
//! records the answer; `book` keeps the log and writes all events; `summarising` requests summaries of old turns in the
//! background (`summaries`). `recorded_prompts` makes the prompts of a recording again.

mod book;
mod chat_loop;
mod config;
mod news;
mod order;
mod recorded_prompts;
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
pub use recorded_prompts::{PromptDifference, compare_prompts};
pub use summaries::ModelSummariser;
