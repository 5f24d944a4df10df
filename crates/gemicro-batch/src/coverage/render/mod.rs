//! Renders coverage as JSON, as a table or as MiniZinc data.

mod dzn;
mod dzn_text;
mod json;
mod output_format;
mod table;

pub use output_format::{OutputFormat, render};
