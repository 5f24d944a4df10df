//! The shell parser for other crates: parses as the policy does, and gives access to the syntax tree and its words.
//!
//! Text that the policy would deny as unreadable gives no tree here either. Nothing here judges a command.

pub use tree_sitter::{Node, Tree};

use super::word::ShellWord;
use super::{nested, syntax};

/// Parses a shell program; `None` if it cannot be read for certain.
pub fn parse(text: &str) -> Option<Tree> {
    syntax::parse(text).ok()
}

/// The named children, except comments.
pub fn children<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    syntax::children(node)
}

/// The text of a node.
pub fn source<'t>(node: Node<'_>, text: &'t str) -> &'t str {
    syntax::source(node, text)
}

/// The exact text of a word without its quotes; `None` if only the running shell knows it.
pub fn known_word(node: Node<'_>, text: &str) -> Option<String> {
    ShellWord::read(node, text).ok()?.text
}

/// Whether a program of this name is a shell.
pub fn is_shell(name: &str) -> bool {
    nested::is_shell(name)
}
