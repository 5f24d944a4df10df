//! Shared presentation code: widths, colours, safe text and readable numbers.

pub(crate) mod branch;
pub(crate) mod numbers;
mod paint;
pub(crate) mod table;
mod terminal;
#[cfg(test)]
mod tests;
pub(crate) mod text;
pub(crate) mod unseen;

pub(crate) use paint::Paint;
pub(crate) use terminal::Screen;
