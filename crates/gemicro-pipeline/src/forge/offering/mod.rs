//! Making a request to merge, once and not twice.
//!
//! The main function is [`offer`]; a forge takes part by its [`Dialect`] and its [`WrittenRequest`].

mod existing;
mod making;
mod requests;

pub(super) use existing::Existing;
pub(super) use making::offer;
pub(super) use requests::{Dialect, Requests, WrittenRequest};
