//! From a rule and a request to an answer in neutral terms: no wire format, no time.

mod build;
mod chunks;
mod known_sentence;
mod persona;
mod schema;
pub(crate) mod tokens;

pub(crate) use build::{AnswerPart, Finish, GeneratedAnswer, Pace, Usage, answer};
pub(crate) use chunks::split;

/// What stands for the signatures of thoughts and calls: base64, as the service sends.
pub(crate) const SIGNATURE: &str = "c2ltdWxhdGVkLXNpZ25hdHVyZQ==";
