//! The formats in which agent CLIs ask for permission: text in, tool call; decision, text out.
//!
//! The CLIs go on when a hook fails in any way but exit code 2, so a caller that gets a [`HookError`] must
//! end with [`EXIT_DENY`].

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
