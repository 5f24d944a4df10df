//! Parses text into a syntax tree and fails closed: errors, unknown node kinds and odd bytes are denials.

use tree_sitter::{Node, Parser, Tree};

use super::run::too_large;
use crate::policy::decision::Denial;
use crate::policy::rule::PolicyRule;

/// Maximum length of the text in bytes. A single argument of a Linux process is at most half of this.
const BYTES: usize = 256 * 1024;
/// Maximum depth of a tree: the walk is recursive.
const TREE_DEPTH: usize = 150;

/// Every kind of node that the walk knows.
const KINDS: &[&str] = &[
    "ansi_c_string",
    "arithmetic_expansion",
    "array",
    "binary_expression",
    "brace_expression",
    "c_style_for_statement",
    "case_item",
    "case_statement",
    "command",
    "command_name",
    "command_substitution",
    "comment",
    "compound_statement",
    "concatenation",
    "declaration_command",
    "do_group",
    "elif_clause",
    "else_clause",
    "expansion",
    "extglob_pattern",
    "file_descriptor",
    "file_redirect",
    "for_statement",
    "function_definition",
    "heredoc_body",
    "heredoc_content",
    "heredoc_end",
    "heredoc_redirect",
    "heredoc_start",
    "herestring_redirect",
    "if_statement",
    "list",
    "negated_command",
    "number",
    "parenthesized_expression",
    "pipeline",
    "postfix_expression",
    "process_substitution",
    "program",
    "raw_string",
    "redirected_statement",
    "regex",
    "simple_expansion",
    "special_variable_name",
    "string",
    "string_content",
    "subscript",
    "subshell",
    "ternary_expression",
    "test_command",
    "test_operator",
    "translated_string",
    "unary_expression",
    "unset_command",
    "variable_assignment",
    "variable_assignments",
    "variable_name",
    "while_statement",
    "word",
];

/// Kinds whose text is data, however the grammar parses it.
const DATA: &[&str] = &[
    "raw_string",
    "string",
    "string_content",
    "ansi_c_string",
    "heredoc_body",
    "heredoc_content",
];

/// Parses a shell program.
pub(super) fn parse(text: &str) -> Result<Tree, Denial> {
    if text.len() > BYTES {
        return Err(too_large(text));
    }
    if let Some(odd) = text.chars().find(|c| c.is_control() && !matches!(c, '\n' | '\t')) {
        let hint = format!(
            "the command contains the control character {:?}; leave it out",
            odd
        );
        return Err(Denial::new(PolicyRule::OddCharacters, text, hint));
    }
    let mut parser = Parser::new();
    parser
        .set_language(&tree_sitter_bash::LANGUAGE.into())
        .map_err(|error| Denial::new(PolicyRule::Internal, text, error.to_string()))?;
    let tree = parser
        .parse(mask_non_ascii(text), None)
        .ok_or_else(|| too_large(text))?;
    inspect(&tree, text)?;
    continuations(&tree, text)?;
    Ok(tree)
}

/// Replaces every non-ASCII byte by an ordinary word character, so that offsets stay the same.
///
/// To bash such characters are ordinary. The grammar's scanner passes them to C's `isdigit`, which reads outside its
/// table: `{` before U+41E3D crashed the process, and a hook that crashes lets the call through.
fn mask_non_ascii(text: &str) -> Vec<u8> {
    text.bytes()
        .map(|byte| if byte.is_ascii() { byte } else { b'%' })
        .collect()
}

/// The text of a node.
pub(super) fn source<'t>(node: Node<'_>, text: &'t str) -> &'t str {
    text.get(node.byte_range()).unwrap_or_default()
}

/// The named children, except comments.
pub(super) fn children<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    (0..node.named_child_count())
        .filter_map(|idx| node.named_child(u32::try_from(idx).unwrap_or(u32::MAX)))
        .filter(|child| child.kind() != "comment")
        .collect()
}

/// The denial of text that cannot be read for certain.
pub(super) fn unreadable(segment: &str) -> Denial {
    Denial::new(
        PolicyRule::ParseError,
        segment,
        "this cannot be parsed reliably; use simpler shell syntax",
    )
}

/// Looks at every node without recursion.
fn inspect(tree: &Tree, text: &str) -> Result<(), Denial> {
    let mut cursor = tree.walk();
    let mut depth = 0;
    loop {
        let node = cursor.node();
        if node.is_error() || node.is_missing() || (node.is_named() && !KINDS.contains(&node.kind())) {
            return Err(unreadable(text));
        }
        if has_gap(node, text) || hides_command(node, text) {
            return Err(unreadable(text));
        }
        if cursor.goto_first_child() {
            depth += 1;
            if depth > TREE_DEPTH {
                return Err(too_large(text));
            }
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return Ok(());
            }
            depth -= 1;
        }
    }
}

/// Whether some text of a node is in none of its children, which means that the grammar skipped it.
fn has_gap(node: Node<'_>, text: &str) -> bool {
    if DATA.contains(&node.kind()) || node.child_count() == 0 {
        return false;
    }
    let mut at = node.start_byte();
    for idx in 0..node.child_count() {
        let Some(child) = node.child(idx) else {
            return true;
        };
        let gap = text
            .get(at..child.start_byte())
            .unwrap_or_default()
            .replace("\\\n", " ");
        let gap = gap.trim();
        let is_dash =
            gap == "-" && child.kind() == "heredoc_redirect" && node.kind() == "redirected_statement";
        if !gap.is_empty() && !is_dash {
            return true;
        }
        at = child.end_byte();
    }
    let rest = text.get(at..node.end_byte()).unwrap_or_default();
    !rest.replace("\\\n", " ").trim().is_empty()
}

/// Whether a node that the grammar takes for plain text contains a substitution: `${x:-`…`}`, `${x%$(…)}`.
fn hides_command(node: Node<'_>, text: &str) -> bool {
    let is_plain = matches!(
        node.kind(),
        "word" | "regex" | "extglob_pattern" | "string_content"
    );
    if !is_plain || node.child_count() > 0 {
        return false;
    }
    let starts_process = |c: char| node.kind() != "string_content" && matches!(c, '<' | '>');
    let mut chars = source(node, text).chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                chars.next();
            }
            '`' => return true,
            c if (c == '$' || starts_process(c)) && chars.peek() == Some(&'(') => return true,
            _ => {}
        }
    }
    false
}

/// Refuses a line continuation in the middle of a word: bash joins the halves, the grammar does not.
fn continuations(tree: &Tree, text: &str) -> Result<(), Denial> {
    for (at, _) in text.match_indices("\\\n") {
        let before = text[..at].chars().next_back();
        let after = text[at + 2..].chars().next();
        let splits_word =
            before.is_some_and(|c| !c.is_whitespace()) && after.is_some_and(|c| !c.is_whitespace());
        let node = tree.root_node().descendant_for_byte_range(at, at + 1);
        let is_data = node.is_some_and(|node| DATA.contains(&node.kind()));
        if splits_word && !is_data {
            return Err(unreadable(text));
        }
    }
    Ok(())
}
