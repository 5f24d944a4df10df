//! Chat completions: `request` reads and checks, `complete` answers, `response` formats the answer.

mod complete;
mod request;
mod response;

pub(super) use complete::complete;
pub(super) use request::call;
