//! Many clients over streamable HTTP, on this machine.

mod gatekeeper;
mod serving;

pub use gatekeeper::{HttpAccess, Reach};
pub use serving::serve_http;
