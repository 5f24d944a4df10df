//! Many clients over streamable HTTP, on this machine.

mod open_requests;
mod serving;

pub use gemicro_listener::{Access, Reach};
pub use serving::serve_http;
