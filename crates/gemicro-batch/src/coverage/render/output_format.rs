//! The output formats of coverage.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{dzn, json, table};
use crate::coverage::gather::GatheredCoverage;

/// The output format of coverage.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OutputFormat {
    /// An object with the totals and the files.
    #[default]
    Json,
    /// MiniZinc data, as text.
    MinizincDzn,
    /// A table, as text.
    TextSummary,
}

/// Renders coverage: an object for JSON, otherwise a string.
#[must_use]
pub fn render(gathered: &GatheredCoverage, format: OutputFormat) -> Value {
    match format {
        OutputFormat::Json => json::json(&gathered.coverage),
        OutputFormat::MinizincDzn => Value::String(dzn::dzn(&gathered.coverage)),
        OutputFormat::TextSummary => Value::String(table::table(gathered)),
    }
}
