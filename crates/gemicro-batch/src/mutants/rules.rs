//! The rules for changing a node of the syntax tree.
//!
//! Node kinds are those of tree-sitter's grammars for Rust and C++; a kind that both have means the same.

use std::ops::Range;

use tree_sitter::Node;

use super::change::{ChangeKind, MutantChange};
use super::syntax::Syntax;
use super::tree::preorder;

/// Whether a node holds no code that runs: types, patterns, constants, macros, attributes.
pub(super) fn is_declaration(node: Node<'_>, field: Option<&str>) -> bool {
    const KINDS: &[&str] = &[
        "alignof_expression",
        "array_declarator",
        "attribute_item",
        "bitfield_clause",
        "const_item",
        "decltype",
        "enum_item",
        "enum_specifier",
        "inner_attribute_item",
        "macro_definition",
        "macro_invocation",
        "match_pattern",
        "new_declarator",
        "noexcept",
        "optional_parameter_declaration",
        "preproc_call",
        "preproc_def",
        "preproc_function_def",
        "sizeof_expression",
        "static_assert_declaration",
        "static_item",
        "subscript_argument_list",
        "template_argument_list",
        "type_arguments",
        "type_parameters",
    ];
    let parent = node.parent().map_or("", |parent| parent.kind());
    let is_condition = field == Some("condition") && parent.starts_with("preproc_");
    let is_label = field == Some("value") && parent == "case_statement";
    let is_fixed = matches!(field, Some("type" | "pattern" | "length"));
    is_fixed || is_condition || is_label || node.is_error() || KINDS.contains(&node.kind())
}

/// The change for this node, if a rule applies.
pub(super) fn change(syntax: Syntax, source: &str, node: Node<'_>) -> Option<MutantChange> {
    let rule = MutantRule { syntax, source };
    match node.kind() {
        "binary_expression" => rule.operator(node),
        "if_expression" | "if_statement" => rule.condition(node),
        "integer_literal" | "number_literal" => rule.number(node),
        "boolean_literal" | "true" | "false" if node.is_named() => {
            let other = if rule.text(node) == "true" {
                "false"
            } else {
                "true"
            };
            Some(rule.becomes(ChangeKind::Value, node.byte_range(), other.to_owned()))
        }
        "string_literal" => rule.string(node),
        "expression_statement" | "return_statement" => rule.statement(node),
        _ => None,
    }
}

struct MutantRule<'s> {
    syntax: Syntax,
    source: &'s str,
}

impl MutantRule<'_> {
    fn text(&self, node: Node<'_>) -> &str {
        &self.source[node.byte_range()]
    }

    fn becomes(&self, kind: ChangeKind, place: Range<usize>, replacement: String) -> MutantChange {
        MutantChange::becomes(kind, self.source, place, replacement)
    }

    fn operator(&self, node: Node<'_>) -> Option<MutantChange> {
        let operator = node.child_by_field_name("operator")?;
        let (kind, other) = match operator.kind() {
            "<" => (ChangeKind::Comparison, ">="),
            ">" => (ChangeKind::Comparison, "<="),
            "<=" => (ChangeKind::Comparison, ">"),
            ">=" => (ChangeKind::Comparison, "<"),
            "==" => (ChangeKind::Comparison, "!="),
            "!=" => (ChangeKind::Comparison, "=="),
            "&&" => (ChangeKind::Logic, "||"),
            "||" => (ChangeKind::Logic, "&&"),
            "+" => (ChangeKind::Arithmetic, "-"),
            "-" | "*" => (ChangeKind::Arithmetic, "+"),
            _ => return None,
        };
        // `s + "a"` and `s + &t` concatenate strings.
        let joins = operator.kind() == "+" && has(node, &["string_literal", "reference_expression"]);
        (!joins).then(|| self.becomes(kind, operator.byte_range(), other.to_owned()))
    }

    /// The condition of an `if`, negated.
    fn condition(&self, node: Node<'_>) -> Option<MutantChange> {
        let condition = node.child_by_field_name("condition")?;
        let value = match self.syntax {
            Syntax::Rust => condition,
            Syntax::C => condition.child_by_field_name("value")?,
        };
        let is_constant = node.child(1).is_some_and(|child| child.kind() == "constexpr");
        let binds = ["let_chain", "let_condition", "declaration"].contains(&value.kind());
        // A line comment would swallow the closing parenthesis.
        let is_plain = !is_constant && !binds && !value.has_error() && !self.text(value).contains("//");
        is_plain.then(|| {
            let negated = format!("!({})", self.text(value));
            self.becomes(ChangeKind::Condition, value.byte_range(), negated)
        })
    }

    /// Adds one to a plain decimal number, unless it is an index, shift, divisor or limit of a type.
    fn number(&self, node: Node<'_>) -> Option<MutantChange> {
        let text = self.text(node);
        let is_decimal =
            text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
        let number: u32 = is_decimal.then(|| text.parse().ok())??;
        let is_limit = [i8::MAX as u32, u8::MAX.into(), i16::MAX as u32, u16::MAX.into()].contains(&number);
        let parent = node.parent()?;
        let operator = parent
            .child_by_field_name("operator")
            .map_or("", |sign| sign.kind());
        let is_place = ["field_expression", "index_expression"].contains(&parent.kind())
            || ["<<", ">>", "<<=", ">>=", "/", "%"].contains(&operator)
                && parent.child_by_field_name("right") == Some(node);
        let fits = number < i32::MAX as u32 && !is_limit && !is_place && !is_in_constant(node);
        fits.then(|| self.becomes(ChangeKind::Value, node.byte_range(), (number + 1).to_string()))
    }

    /// Makes a string one character longer, if it is compared or returned.
    fn string(&self, node: Node<'_>) -> Option<MutantChange> {
        let text = self.text(node);
        let parent = node.parent()?;
        let is_used = match parent.kind() {
            "binary_expression" => parent
                .child_by_field_name("operator")
                .is_some_and(|sign| ["==", "!="].contains(&sign.kind())),
            "return_expression" | "return_statement" | "match_arm" | "block" => true,
            _ => false,
        };
        // The length of a byte string is part of its type.
        let close = text.rfind('"').filter(|close| {
            let is_bytes = self.syntax == Syntax::Rust && text.starts_with('b');
            is_used && !is_bytes && *close > 0
        })?;
        let longer = format!("{}~{}", &text[..close], &text[close..]);
        Some(self.becomes(ChangeKind::Text, node.byte_range(), longer))
    }

    /// Removes a one-line statement: a call, or a return that is the whole body of an `if` in the middle of a function.
    fn statement(&self, node: Node<'_>) -> Option<MutantChange> {
        let mut inner = node.named_child(0);
        if let Some(tried) = inner.filter(|inner| inner.kind() == "try_expression") {
            inner = tried.named_child(0);
        }
        let kind = match inner.map_or("", |inner| inner.kind()) {
            _ if node.kind() == "return_statement" => ChangeKind::Return,
            "return_expression" => ChangeKind::Return,
            "call_expression" => ChangeKind::Call,
            _ => return None,
        };
        let is_one_line = node.start_position().row == node.end_position().row;
        let is_whole = self.text(node).ends_with(';') && !node.has_error();
        let replacement = match self.syntax {
            Syntax::C => ";",
            Syntax::Rust => "",
        };
        (is_one_line && is_whole && (kind == ChangeKind::Call || is_middle(node)))
            .then(|| MutantChange::without_statement(kind, self.source, node.byte_range(), replacement))
    }
}

/// Whether a node is in a C constant, whose value may be part of a type.
fn is_in_constant(node: Node<'_>) -> bool {
    let declaration = std::iter::successors(node.parent(), Node::parent)
        .take_while(|around| !around.kind().ends_with("_statement"))
        .find(|around| around.kind() == "declaration");
    let is_constant = |child: Node<'_>| child.kind() == "type_qualifier";
    declaration.is_some_and(|declaration| {
        (0..declaration.named_child_count())
            .filter_map(|idx| declaration.named_child(u32::try_from(idx).ok()?))
            .any(is_constant)
    })
}

/// Whether a statement is the whole body of an `if` and code follows, so that the function still returns on every path.
fn is_middle(node: Node<'_>) -> bool {
    let is_block = |node: &Node<'_>| ["block", "compound_statement"].contains(&node.kind());
    let Some(mut around) = node.parent() else {
        return false;
    };
    if is_block(&around) && around.named_child_count() == 1 {
        around = around.parent().unwrap_or(around);
    }
    let is_branch = ["if_expression", "if_statement"].contains(&around.kind())
        && around.child_by_field_name("alternative").is_none();
    if let Some(statement) = around
        .parent()
        .filter(|parent| parent.kind() == "expression_statement")
    {
        around = statement;
    }
    let in_block = around.parent().is_some_and(|parent| is_block(&parent));
    is_branch && in_block && around.next_named_sibling().is_some()
}

fn has(node: Node<'_>, kinds: &[&str]) -> bool {
    let mut found = false;
    preorder(node, |node, _| {
        found |= kinds.contains(&node.kind());
        !found
    });
    found
}
