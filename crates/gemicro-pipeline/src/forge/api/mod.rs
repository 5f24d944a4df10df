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
pub(super) use call::{Answer, Call, Method, Unheard};
pub(super) use limits::{BODY_BYTES, CONNECT_TIME, TOTAL_TIME, WAITS};
pub(super) use path::encoded;
pub(super) use reading::root_cause;
pub(super) use transport::Transport;
