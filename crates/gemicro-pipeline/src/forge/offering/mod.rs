//! Making a request to merge, once and not twice.
//!
//! The main function is [`offer`]; a forge takes part by its [`ForgeDialect`] and its [`WrittenRequest`].

mod existing;
mod make_offer;
mod requests;

pub(super) use existing::ExistingRequest;
pub(super) use make_offer::offer;
pub(super) use requests::{ForgeDialect, ForgeRequests, WrittenRequest};
