//! Chat completions: `request` reads and checks, `complete` answers, `response` writes.

mod complete;
mod request;
mod response;

pub(super) use complete::complete;
pub(super) use request::call;
