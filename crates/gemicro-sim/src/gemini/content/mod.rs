//! generateContent, streamGenerateContent and countTokens: camel case, upper-case enums, rpc errors.

mod endpoints;
mod request;
mod response;

pub(crate) use endpoints::{count, generate, plain_call, stream};
pub(crate) use request::call;
