//! The known models: context sizes, prices, and replacements of outdated names.
//!
//! [`ModelTable`] is read from a data file, `models.toml`, that states its date and source. A model without a price is
//! not free: [`ModelTable::price`] returns `None`, and a user with a money budget must see that. A model that is not
//! listed may still exist: the provider decides.
//!
//! Files: `table` (the file and its lookup), `names` (current names for outdated ones), `price` (the cost of a call),
//! `check_name` (rejects other names).

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
