//! The formats in which agent CLIs ask for permission: reads requests into tool calls, and writes decisions.
//!
//! The CLIs run the call if a hook fails with any exit code but 2, so a caller that gets a [`HookError`] must exit with
//! [`EXIT_DENY`].

mod answer;
mod error;
mod format;
mod judge;
mod request;

#[cfg(test)]
mod tests;

pub use answer::{HookAnswer, answer, refusal};
pub use error::HookError;
pub use format::{EXIT_DENY, HookFormat};
pub use judge::judge;
pub use request::HookRequest;
