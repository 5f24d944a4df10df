//! One conversation that is being held: orders go in, news come out.
//!
//! An edge opens a chat, sends it [`Order`]s and shows its [`News`]; a screen and a pipe see no difference.

mod news;
mod order;

pub use news::{Chapter, Meter, News, Question, ToolLine, ToolState, Transport};
pub use order::Order;
