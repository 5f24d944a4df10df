//! The known models: what they hold, what they cost, and which names are out of date.
//!
//! [`ModelTable`] is read from a data file, `models.toml`, that says its date and source. A model without a
//! price is not free: [`ModelTable::price`] answers `None`, and whoever set a money budget must be told. A model that
//! is not listed may still exist: the provider has the last word.
//!
//! Files: `table` (the file and its lookup), `names` (current names for stale ones), `price` (what a call costs),
//! `check_name` (names that cannot be meant).

mod check_name;
mod names;
mod price;
mod table;
#[cfg(test)]
mod tests;

pub use check_name::{check_gemini_model, check_model_name};
pub use names::{ResolvedModel, plain_id};
pub use price::ModelPrice;
pub(crate) use price::no_price;
pub use table::{ModelSize, ModelTable};
