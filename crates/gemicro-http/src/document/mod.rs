//! The OpenAPI document: the routes as their macro describes them, and the schemas as schemars has them.

pub(crate) mod shapes;
mod written;

pub(crate) use written::{add, document_json};
