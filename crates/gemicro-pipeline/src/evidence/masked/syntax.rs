//! From text to a syntax tree; nothing when the text cannot be read for certain.

use tree_sitter::{Node, Parser, Tree};

/// Longer commands are not read.
const BYTES: usize = 64 * 1024;
/// Deeper trees are not walked: the walk is recursive.
const TREE_DEPTH: usize = 120;

/// Parses a shell program.
pub(super) fn parse(text: &str) -> Option<Tree> {
    let is_odd = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    if text.len() > BYTES || text.contains(is_odd) {
        return None;
    }
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_bash::LANGUAGE.into()).ok()?;
    // To a shell other characters than ASCII are ordinary ones; the grammar's scanner looks them up in a table of 256.
    let plain: Vec<u8> = text
        .bytes()
        .map(|byte| if byte.is_ascii() { byte } else { b'%' })
        .collect();
    let tree = parser.parse(plain, None)?;
    (!tree.root_node().has_error() && is_shallow(&tree)).then_some(tree)
}

/// The text of a node.
pub(super) fn source<'t>(node: Node<'_>, text: &'t str) -> &'t str {
    text.get(node.byte_range()).unwrap_or_default()
}

/// The children that have a name, comments apart.
pub(super) fn children(node: Node<'_>) -> Vec<Node<'_>> {
    all_children(node)
        .into_iter()
        .filter(|child| child.is_named() && child.kind() != "comment")
        .collect()
}

/// Whether a statement is not waited for: `statement &`.
pub(super) fn is_background(node: Node<'_>) -> bool {
    node.next_sibling().is_some_and(|next| next.kind() == "&")
}

/// All children, tokens included.
pub(super) fn all_children(node: Node<'_>) -> Vec<Node<'_>> {
    (0..node.child_count())
        .filter_map(|idx| node.child(idx))
        .collect()
}

/// Looks at the depth without recursion.
fn is_shallow(tree: &Tree) -> bool {
    let mut cursor = tree.walk();
    let mut depth = 0;
    loop {
        if cursor.goto_first_child() {
            depth += 1;
            if depth > TREE_DEPTH {
                return false;
            }
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return true;
            }
            depth -= 1;
        }
    }
}
