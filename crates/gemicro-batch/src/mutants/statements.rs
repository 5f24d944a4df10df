//! Statements left out: calls, and returns from the middle of a function.

use super::change::{Change, Kind};
use super::code::Code;
use super::syntax::Syntax;
use super::tokens::TokenKind;
use super::words::is_keyword;

/// The statement that begins at a token and ends on its line, left out.
pub(super) fn statement(code: &Code<'_>, idx: usize) -> Option<Change> {
    let is_start = [";", "{", "}"].contains(&code.text_before(idx)) || is_only_branch(code, idx);
    if code.kind(idx) != Some(TokenKind::Word) || !is_start {
        return None;
    }
    let end = end_of_statement(code, idx)?;
    let kind = if code.text(idx) == "return" {
        is_middle(code, idx, end).then_some(Kind::Return)?
    } else {
        is_call(code, idx, end).then_some(Kind::Call)?
    };
    let place = code.tokens[idx].start..code.tokens[end].end;
    let is_one_line = code.line_of(place.start) == code.line_of(place.end - 1);
    let replacement = match code.syntax {
        Syntax::C => ";",
        Syntax::Rust => "",
    };
    is_one_line.then(|| Change::removed(kind, code.source, place, replacement))
}

/// Whether a statement of C is all that an `if` without braces does.
fn is_only_branch(code: &Code<'_>, idx: usize) -> bool {
    let opens_with_if = || {
        let open = code.groups.partner(idx - 1)?;
        Some(code.text_before(open) == "if")
    };
    code.syntax == Syntax::C && code.text_before(idx) == ")" && opens_with_if().unwrap_or(false)
}

/// The `;` of the statement.
fn end_of_statement(code: &Code<'_>, idx: usize) -> Option<usize> {
    let line = code.line_of(code.tokens[idx].start);
    let mut at = idx;
    while code.text(at) != ";" {
        if [")", "]", "}", ""].contains(&code.text(at)) || code.line_of(code.tokens[at].start) != line {
            return None;
        }
        at = code.groups.partner(at).map_or(at, |close| close) + 1;
    }
    Some(at)
}

/// Whether a statement does nothing but call: `a.b(c);`, `a::b(c)?;`, not `a = b(c);` nor `A b(c);`.
fn is_call(code: &Code<'_>, idx: usize, end: usize) -> bool {
    let last = if code.text(end - 1) == "?" {
        end - 2
    } else {
        end - 1
    };
    if code.text(last) != ")" || is_keyword(code.syntax, code.text(idx)) {
        return false;
    }
    let mut at = idx;
    let mut was_name = false;
    while at < last {
        let is_name = code.kind(at) == Some(TokenKind::Word);
        let goes_on = match code.text(at) {
            "(" | "[" => true,
            "." | "->" | "::" | "?" => true,
            _ => is_name && !was_name,
        };
        if !goes_on {
            return false;
        }
        was_name = is_name;
        at = match code.text(at) {
            "(" | "[" => code.groups.partner(at).unwrap_or(at) + 1,
            _ => at + 1,
        };
    }
    true
}

/// Whether the function goes on after the `if` that this `return` stands in, so that every way still ends somewhere.
fn is_middle(code: &Code<'_>, idx: usize, end: usize) -> bool {
    let open = match code.text_before(idx) {
        "{" => idx - 1,
        ")" => return !["}", "else", ""].contains(&code.text(end + 1)),
        _ => return false,
    };
    let Some(close) = code.groups.partner(open).filter(|close| *close == end + 1) else {
        return false;
    };
    let first = code.before_in_statement(open).last().unwrap_or(open);
    let is_branch = code.text(first) == "if";
    is_branch && !["}", "else", ",", ")", "", "."].contains(&code.text(close + 1))
}
