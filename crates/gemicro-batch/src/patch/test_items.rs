//! Finds the test-only items of a Rust file.
//!
//! It reads the syntax tree and is conservative: only what is clearly an item under `#[cfg(test)]` counts, and a file
//! that cannot be parsed completely has none. It does not look into macros or into items with unknown attributes,
//! because these may rewrite their input.

use std::ops::Range;

use tree_sitter::Node;

use crate::mutants::preorder;

/// Built-in attributes that do not rewrite their item. Any other may be a macro.
const HARMLESS: &[&str] = &[
    "allow",
    "cfg",
    "deny",
    "deprecated",
    "derive",
    "doc",
    "expect",
    "forbid",
    "ignore",
    "inline",
    "must_use",
    "non_exhaustive",
    "path",
    "repr",
    "should_panic",
    "test",
    "warn",
];
/// Node kinds that can be test items.
const ITEMS: &[&str] = &[
    "const_item",
    "enum_item",
    "extern_crate_declaration",
    "foreign_mod_item",
    "function_item",
    "impl_item",
    "macro_definition",
    "mod_item",
    "static_item",
    "struct_item",
    "trait_item",
    "type_item",
    "union_item",
    "use_declaration",
];
/// Maximum nesting of `cfg` conditions.
const DEEPEST: usize = 20;

/// The test-only parts of a file.
pub(super) enum Tests {
    WholeFile,
    /// Byte ranges, in order.
    Places(Vec<Range<usize>>),
}

/// The test-only items, with their attributes.
pub(super) fn tests_of(text: &str, root: Node<'_>) -> Tests {
    let mut places = Vec::new();
    let mut is_whole = false;
    // The attributes before the next item.
    let mut attributes = Attributes::default();
    preorder(root, |node, _| {
        match node.kind() {
            "line_comment" | "block_comment" => return false,
            "attribute_item" => {
                attributes.add(node, text);
                return false;
            }
            "inner_attribute_item" => {
                is_whole |= node.parent() == Some(root) && is_test_condition(node, text);
                return false;
            }
            _ => {}
        }
        let Attributes {
            start,
            is_test,
            has_unknown,
        } = std::mem::take(&mut attributes);
        if is_test && ITEMS.contains(&node.kind()) {
            places.push(start.unwrap_or(node.start_byte())..node.end_byte());
            return false;
        }
        !has_unknown && !node.kind().starts_with("macro_")
    });
    if is_whole {
        Tests::WholeFile
    } else {
        Tests::Places(places)
    }
}

/// Consecutive attributes.
#[derive(Default)]
struct Attributes {
    /// Start of the first one.
    start: Option<usize>,
    /// Whether one of them makes the item test-only.
    is_test: bool,
    /// Whether one of them may be a macro.
    has_unknown: bool,
}

impl Attributes {
    fn add(&mut self, node: Node<'_>, text: &str) {
        self.start = self.start.or(Some(node.start_byte()));
        // A possible macro that comes first would see the item before the condition is evaluated.
        self.is_test |= !self.has_unknown && is_test_condition(node, text);
        let name = node.named_child(0).and_then(|attribute| attribute.named_child(0));
        self.has_unknown |= !name.is_some_and(|name| HARMLESS.contains(&&text[name.byte_range()]));
    }
}

/// Whether an attribute is `cfg` with a condition that only holds for tests.
fn is_test_condition(node: Node<'_>, text: &str) -> bool {
    let Some(attribute) = node.named_child(0) else {
        return false;
    };
    let name = attribute.named_child(0).map(|name| &text[name.byte_range()]);
    let arguments = attribute.child_by_field_name("arguments");
    name == Some("cfg") && arguments.is_some_and(|tokens| conditions(tokens, text, 0) == [true])
}

/// For each condition, whether it holds only in tests: `test`, `all` with one such, `any` with only such.
fn conditions(tokens: Node<'_>, text: &str, depth: usize) -> Vec<bool> {
    let all: Vec<Node<'_>> = (0..tokens.child_count())
        .filter_map(|idx| tokens.child(idx))
        .collect();
    let inner = all.get(1..all.len().saturating_sub(1)).unwrap_or_default();
    let parts = inner.split(|token| token.kind() == ",");
    let implies_test = |part: &[Node<'_>]| match part {
        [word] => &text[word.byte_range()] == "test",
        [word, group] if group.kind() == "token_tree" && depth < DEEPEST => {
            let parts = conditions(*group, text, depth + 1);
            match &text[word.byte_range()] {
                "all" => parts.contains(&true),
                "any" => !parts.is_empty() && !parts.contains(&false),
                _ => false,
            }
        }
        _ => false,
    };
    parts.filter(|part| !part.is_empty()).map(implies_test).collect()
}
