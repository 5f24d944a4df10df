//! Builds an answer from a rule and a request, independent of wire format and time.

mod build;
mod chunks;
mod known_sentence;
mod persona;
mod schema;
pub(crate) mod tokens;

pub(crate) use build::{AnswerPart, Finish, GeneratedAnswer, Pace, Usage, answer};
pub(crate) use chunks::split;

/// Placeholder for signatures of thoughts and calls: base64, like those of the service.
pub(crate) const SIGNATURE: &str = "c2ltdWxhdGVkLXNpZ25hdHVyZQ==";
