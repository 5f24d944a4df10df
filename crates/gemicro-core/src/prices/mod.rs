//! What models cost and how much they hold.
//!
//! [`PriceTable`] is read from a data file, `prices.toml`, that says its date and source. A model without a
//! price is not free: [`PriceTable::price`] answers `None`, and whoever set a money budget must be told.
//!
//! Files: `table` (the file and its lookup), `price` (what a call costs).

mod price;
mod table;
#[cfg(test)]
mod tests;

pub use price::ModelPrice;
pub use table::{ModelSize, PriceTable, PriceTableError};
