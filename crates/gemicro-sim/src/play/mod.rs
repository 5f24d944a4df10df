//! Time: how a finished answer is let out piece by piece, held at gates, read, cut and resumed.
//!
//! A [`Generation`] holds all frames of an answer from the start; a player releases them, and any number of
//! readers follow. So a reader that was cut off can come back and go on where it was.

mod clock;
mod gates;
mod generation;
mod reader;

pub use gates::ReplyGates;
pub(crate) use generation::{Generation, GenerationEnd, GenerationFrame, Player};
pub(crate) use reader::{Encoding, FLUSH, GARBAGE, GenerationReader, read};
