//! Ways to compress a conversation, behind one port.
//!
//! A [`ContextCompressor`] turns a log into a prompt and says what that cost and kept. Files: `port` (the trait and its
//! data), `strategies` (the ones we have).

mod port;
mod strategies;

pub use port::{CompressedPrompt, Compressible, ContextCompressor};
pub use strategies::compressor_named;
