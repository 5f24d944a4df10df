//! How a source is written.

/// The language of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Syntax {
    /// C and C++.
    C,
    /// Rust.
    Rust,
}
