//! The OpenAPI document: the routes as their macro describes them, and the schemas as schemars has them.

mod document_json;
pub(crate) mod shapes;

pub(crate) use document_json::{add, document_json};
