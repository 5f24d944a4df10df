//! Ways to compress a conversation, behind one port.
//!
//! A [`ContextCompressor`] turns a log into a prompt and reports the cost and what was kept. Files: `port` (the trait
//! and its data), `strategies` (the built-in compressors).

mod port;
mod strategies;

pub use port::{CompressedPrompt, Compressible, ContextCompressor};
pub use strategies::compressor_named;
