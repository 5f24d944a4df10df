//! Mutants: source code broken on purpose in one place, to see whether a test notices.
//!
//! [`mutants`] reads a source as tokens and offers small changes of the lines it is given, the telling ones first and
//! spread over the lines. It is no compiler: a change is offered only where the neighbours say that it keeps the
//! types, and some will not compile all the same. It writes no file and runs nothing.

mod change;
mod code;
mod conditions;
mod generate;
mod literals;
mod operators;
mod places;
mod statements;
mod syntax;
mod tokens;
mod values;
mod words;

pub use change::Mutant;
pub(crate) use code::Groups;
pub use generate::mutants;
pub use syntax::Syntax;
pub(crate) use tokens::{Token, TokenKind, tokens};
