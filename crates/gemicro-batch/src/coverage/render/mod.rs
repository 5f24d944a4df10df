//! Telling coverage: as JSON, as a table, as data for MiniZinc.

mod dzn;
mod dzn_text;
mod json;
mod output_format;
mod table;

pub use output_format::{OutputFormat, render};
