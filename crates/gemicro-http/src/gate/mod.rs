//! Who may speak to the server, and in which form: decided from the head of a request alone.

mod access;
mod form;

pub use access::{Access, Reach};
pub(crate) use form::{body_limit, too_long};
