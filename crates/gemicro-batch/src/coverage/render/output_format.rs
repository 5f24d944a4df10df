//! The formats of answers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{dzn, json, table};
use crate::coverage::gather::GatheredCoverage;

/// What an answer is written in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OutputFormat {
    /// An object with the totals and the files.
    #[default]
    Json,
    /// Data for MiniZinc, as text.
    MinizincDzn,
    /// A table, as text.
    TextSummary,
}

/// Tells coverage: an object for JSON, else a text.
#[must_use]
pub fn render(gathered: &GatheredCoverage, format: OutputFormat) -> Value {
    match format {
        OutputFormat::Json => json::json(&gathered.coverage),
        OutputFormat::MinizincDzn => Value::String(dzn::dzn(&gathered.coverage)),
        OutputFormat::TextSummary => Value::String(table::table(gathered)),
    }
}
