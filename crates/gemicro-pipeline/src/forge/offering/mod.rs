//! Creates a merge request, and never twice.
//!
//! The main function is [`offer`]; each forge provides its [`ForgeDialect`] and [`WrittenRequest`].

mod existing;
mod make_offer;
mod requests;

pub(super) use existing::ExistingRequest;
pub(super) use make_offer::offer;
pub(super) use requests::{ForgeDialect, ForgeRequests, WrittenRequest};
