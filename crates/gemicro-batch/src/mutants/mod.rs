//! Mutants: source code broken on purpose in one place, to see whether a test notices.
//!
//! [`mutants`] parses a source with tree-sitter (`tree`) and offers small changes of the lines it is given (`rules`), the
//! most useful kinds first and spread over the lines (`generate`). It knows no types, so some mutants do not compile. It
//! writes no file and runs nothing.

mod change;
mod generate;
mod rules;
mod syntax;
mod tree;

pub use change::Mutant;
pub use generate::mutants;
pub use syntax::Syntax;
pub(crate) use tree::{parse, preorder};
