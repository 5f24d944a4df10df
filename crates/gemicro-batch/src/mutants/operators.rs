//! Changed operators: comparisons, `&&` and `||`, sums, differences and products.

use super::change::{Change, Kind};
use super::code::Code;
use super::syntax::Syntax;
use super::tokens::TokenKind;

/// The operator at a token, changed, if it is one between two values.
pub(super) fn operator(code: &Code<'_>, idx: usize) -> Option<Change> {
    let (kind, other) = match code.text(idx) {
        "<" => (Kind::Comparison, ">="),
        ">" => (Kind::Comparison, "<="),
        "<=" => (Kind::Comparison, ">"),
        ">=" => (Kind::Comparison, "<"),
        "==" => (Kind::Comparison, "!="),
        "!=" => (Kind::Comparison, "=="),
        "&&" => (Kind::Logic, "||"),
        "||" => (Kind::Logic, "&&"),
        "+" => (Kind::Arithmetic, "-"),
        "-" => (Kind::Arithmetic, "+"),
        "*" => (Kind::Arithmetic, "+"),
        _ => return None,
    };
    let before = idx.checked_sub(1)?;
    let is_between = code.kind(idx) == Some(TokenKind::Sign)
        && code.ends_operand(before)
        && code.begins_operand(idx + 1)
        && code.text_before(before) != "operator"
        && (code.stands_free(idx) || is_clear_without_space(code, idx));
    let keeps_types = match kind {
        Kind::Comparison => !is_template(code, idx),
        Kind::Logic => !is_let_chain(code, idx),
        Kind::Arithmetic => is_arithmetic(code, idx),
        Kind::Condition | Kind::Value | Kind::Text | Kind::Call | Kind::Return => false,
    };
    let token = code.tokens[idx];
    (is_between && keeps_types)
        .then(|| Change::becomes(kind, code.source, token.start..token.end, other.to_owned()))
}

/// Whether an operator can be nothing else, also where it touches its neighbours.
fn is_clear_without_space(code: &Code<'_>, idx: usize) -> bool {
    match code.syntax {
        Syntax::C => ["==", "!="].contains(&code.text(idx)),
        Syntax::Rust => false,
    }
}

/// Whether `<` or `>` may be a bracket: `template < typename T >`.
fn is_template(code: &Code<'_>, idx: usize) -> bool {
    code.syntax == Syntax::C
        && ["<", ">"].contains(&code.text(idx))
        && code
            .before_in_statement(idx)
            .any(|idx| ["template", "typename"].contains(&code.text(idx)))
}

/// Whether the operator connects conditions one of which is a pattern: those know no `||`.
fn is_let_chain(code: &Code<'_>, idx: usize) -> bool {
    let is_pattern =
        |idx: usize| code.text(idx) == "let" && ["if", "while", "&&"].contains(&code.text_before(idx));
    code.syntax == Syntax::Rust
        && (code.before_in_statement(idx).any(is_pattern) || code.after_in_statement(idx).any(is_pattern))
}

/// Whether `+`, `-` or `*` counts, rather than joining texts or traits or declaring a pointer.
fn is_arithmetic(code: &Code<'_>, idx: usize) -> bool {
    let sign = code.text(idx);
    let joins_text = || {
        let mut statement = code.before_in_statement(idx).chain(code.after_in_statement(idx));
        sign == "+" && statement.any(|idx| code.kind(idx) == Some(TokenKind::Text))
    };
    match code.syntax {
        Syntax::Rust => {
            let is_bound = code
                .before_in_statement(idx)
                .any(|idx| ["dyn", "impl", "where"].contains(&code.text(idx)));
            let is_reference = code.text(idx + 1) == "&";
            !is_bound && !is_reference && !joins_text()
        }
        Syntax::C => {
            let has_number = [idx.checked_sub(1), Some(idx + 1)]
                .into_iter()
                .flatten()
                .any(|idx| code.kind(idx) == Some(TokenKind::Number));
            let is_value = || {
                code.before_in_statement(idx).any(|idx| {
                    let text = code.text(idx);
                    text == "return" || (text.ends_with('=') && text != "==")
                })
            };
            (sign != "*" || has_number || is_value()) && !joins_text()
        }
    }
}
