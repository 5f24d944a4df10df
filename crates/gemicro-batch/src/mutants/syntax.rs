//! How a source is written.

/// The language of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Syntax {
    /// C and languages with its comments and strings.
    C,
    /// Rust, with lifetimes and raw strings.
    Rust,
}
