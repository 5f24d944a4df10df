//! Reads JSON as agents write it: RFC 8259 with five repairs and no others.
//!
//! The repairs: a byte order mark before the value; comments where white space may stand; one trailing comma; raw
//! newlines and tabs inside text; curly quotes round a key or a value. Keys that come twice, values of more than 64 KiB
//! or more than 64 levels, and everything else that is not JSON are refused. It never guesses what was meant.

mod reader;
mod same;
mod text;

pub(super) use reader::{MAX_BYTES, read_first, read_whole};
pub(super) use same::same;
