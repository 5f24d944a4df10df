//! Reads the text of a file.

mod decode;
/// Reads files to bytes, in one consistent state.
mod file;
/// Characters that no reader sees.
pub(crate) mod invisible;

#[cfg(test)]
mod tests;

pub use decode::decode;
pub(crate) use decode::decode_labelled;
pub use file::{ReadError, ReadText, read_file};
pub(crate) use file::{read_steady, stamp_of};
