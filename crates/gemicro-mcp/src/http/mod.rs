//! Serves many clients over streamable HTTP.

mod open_requests;
mod serving;

pub use gemicro_listener::{ServerAccess, ServerReach};
pub use serving::serve_http;
