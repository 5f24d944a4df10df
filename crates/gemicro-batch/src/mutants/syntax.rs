//! How a source is written, as far as its tokens go.

/// The family of languages whose tokens a source has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Syntax {
    /// C and C++.
    C,
    /// Rust.
    Rust,
}
