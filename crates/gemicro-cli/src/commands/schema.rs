//! `gemicro schema`: the JSON Schemas of all events.

use gemicro_engine::event_registry;
use serde_json::{Map, Value};

use crate::command_error::CommandError;
use crate::output;

/// Prints one object: event type to the schema of its `data`.
pub(crate) fn run() -> Result<(), CommandError> {
    let registry = event_registry();
    let schemas: Map<String, Value> = registry
        .kinds()
        .map(|kind| (kind.event_type.to_owned(), (kind.schema)()))
        .collect();
    let text = serde_json::to_string_pretty(&schemas).map_err(std::io::Error::from)?;
    output::print(&format!("{text}\n"))
}
