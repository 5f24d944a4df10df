//! Timing: releases a complete answer in chunks, holds it at gates, and handles cuts and resumed reads.
//!
//! A [`Generation`] holds all frames of an answer from the start; a player releases them, and any number of readers
//! follow. So a reader that was cut off can reconnect and continue where it was.

mod clock;
mod gates;
mod generation;
mod reader;

pub use gates::ReplyGates;
pub(crate) use generation::{Generation, GenerationEnd, GenerationFrame, Player};
pub(crate) use reader::{Encoding, FLUSH, GARBAGE, GenerationReader, read};
