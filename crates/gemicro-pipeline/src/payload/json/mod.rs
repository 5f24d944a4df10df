//! Parses JSON as agents write it: RFC 8259 with exactly five repairs.
//!
//! The repairs: a byte order mark before the value; comments where white space is allowed; one trailing comma; raw
//! newlines and tabs inside strings; curly quotes around a key or value. Duplicate keys, values of more than 64 KiB or
//! 64 levels, and anything else that is not JSON are refused. It never guesses.

mod reader;
mod same;
mod text;

pub(super) use reader::{MAX_BYTES, read_first, read_whole};
pub(super) use same::same;
