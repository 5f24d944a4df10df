//! Asking a forge over HTTP: sending, waiting, trying again where that is safe, and reading what came.
//!
//! The main type is [`Api`]. What is asked, and what an answer means, is the business of `github` and `gitlab`.

mod asking;
mod call;
mod limits;
mod path;
mod reading;
mod transport;

pub(super) use asking::{Api, Ask};
pub(super) use call::{Answer, Call, Method};
pub(super) use limits::WAITS;
pub(super) use path::encoded;
