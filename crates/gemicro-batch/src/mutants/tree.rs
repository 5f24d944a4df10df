//! Syntax trees of sources, and the walk over them.

use tree_sitter::{Node, Parser, Tree};

use super::syntax::Syntax;

/// The syntax tree of a source. Every text has one; what is not understood is an error in it.
pub(crate) fn parse(syntax: Syntax, source: &str) -> Option<Tree> {
    let language = match syntax {
        Syntax::C => tree_sitter_cpp::LANGUAGE,
        Syntax::Rust => tree_sitter_rust::LANGUAGE,
    };
    let mut parser = Parser::new();
    parser.set_language(&language.into()).ok()?;
    parser.parse(source, None)
}

/// Visits a node and what is in it, in the order of the text; `visit` is given the name of the field that a node is in,
/// and says whether to look into it. Without recursion: no source can nest too deep.
pub(crate) fn preorder<'t>(root: Node<'t>, mut visit: impl FnMut(Node<'t>, Option<&str>) -> bool) {
    let mut cursor = root.walk();
    loop {
        if visit(cursor.node(), cursor.field_name()) && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}
