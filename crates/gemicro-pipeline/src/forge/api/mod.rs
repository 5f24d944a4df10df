//! Calls a forge over HTTP: sends, waits, retries where that is safe, and reads the answer.
//!
//! The main type is [`RepositoryApi`]. `github` and `gitlab` build the calls and interpret the answers.

mod call;
mod limits;
mod path;
mod reading;
mod repository_api;
mod transport;

pub(super) use call::{ForgeAnswer, ForgeApiCall, HttpMethod};
pub(super) use limits::WAITS;
pub(super) use path::percent_encode;
pub(super) use repository_api::{ForgeAsk, RepositoryApi};
