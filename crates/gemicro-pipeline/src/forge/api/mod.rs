//! Asking a forge over HTTP: sending, waiting, trying again where that is safe, and reading what came.
//!
//! The main type is [`RepositoryApi`]. What is asked, and what an answer means, is the business of `github` and `gitlab`.

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
