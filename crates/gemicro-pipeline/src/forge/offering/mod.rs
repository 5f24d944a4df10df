//! Making a request to merge, once and not twice.
//!
//! The main function is [`offer`]; a forge takes part by its [`Requests`].

mod existing;
mod making;

pub(super) use existing::Existing;
pub(super) use making::{Creation, Requests, create_once, offer};
