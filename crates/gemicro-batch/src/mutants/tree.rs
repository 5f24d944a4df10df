//! Parses and walks syntax trees.

use tree_sitter::{Node, Parser, Tree};

use super::syntax::Syntax;

/// Parses a source. Invalid code gives error nodes in the tree.
pub(crate) fn parse(syntax: Syntax, source: &str) -> Option<Tree> {
    let language = match syntax {
        Syntax::C => tree_sitter_cpp::LANGUAGE,
        Syntax::Rust => tree_sitter_rust::LANGUAGE,
    };
    let mut parser = Parser::new();
    parser.set_language(&language.into()).ok()?;
    parser.parse(source, None)
}

/// Visits a node and its descendants in source order. `visit` gets the name of the field that a node is in, and returns
/// whether to descend. Not recursive, so deep nesting is safe.
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
