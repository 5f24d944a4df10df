//! The languages that can be mutated.

/// The language of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Syntax {
    /// C, C++ and languages with the same comments and strings.
    C,
    /// Rust, with lifetimes and raw strings.
    Rust,
}
