//! The shell reader for other crates: the policy's parser, its view of a syntax tree, and its words.
//!
//! A text that the policy would deny as unreadable has no tree here either. Nothing here judges a command.

pub use tree_sitter::{Node, Tree};

use super::word::ShellWord;
use super::{nested, syntax};

/// Parses a shell program; nothing when it cannot be read for certain.
pub fn parse(text: &str) -> Option<Tree> {
    syntax::parse(text).ok()
}

/// The children that have a name, except comments.
pub fn children<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    syntax::children(node)
}

/// The text of a node.
pub fn source<'t>(node: Node<'_>, text: &'t str) -> &'t str {
    syntax::source(node, text)
}

/// The exact text of a word without its quotes; nothing when only the running shell knows it.
pub fn known_word(node: Node<'_>, text: &str) -> Option<String> {
    ShellWord::read(node, text).ok()?.text
}

/// Whether a program of this name is a shell.
pub fn is_shell(name: &str) -> bool {
    nested::is_shell(name)
}
