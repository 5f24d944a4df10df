//! Negated conditions of `if`.

use super::change::{Change, Kind};
use super::code::Code;
use super::syntax::Syntax;

/// Conditions of more tokens are left alone.
const LONGEST: usize = 200;

/// The condition of the `if` at a token, negated.
pub(super) fn condition(code: &Code<'_>, idx: usize) -> Option<Change> {
    if code.text(idx) != "if" {
        return None;
    }
    let (first, last) = match code.syntax {
        Syntax::Rust => between_if_and_body(code, idx)?,
        Syntax::C => between_parentheses(code, idx)?,
    };
    let place = code.tokens[first].start..code.tokens[last].end;
    let replacement = format!("!({})", &code.source[place.clone()]);
    // A comment to the end of the line would take the parenthesis with it.
    let ends_well = !code.source[place.clone()].contains("//");
    ends_well.then(|| Change::becomes(Kind::Condition, code.source, place, replacement))
}

fn between_if_and_body(code: &Code<'_>, idx: usize) -> Option<(usize, usize)> {
    let mut at = idx + 1;
    while !["{", "=>"].contains(&code.text(at)) {
        if [";", ")", "]", "}", ""].contains(&code.text(at)) || at > idx + LONGEST {
            return None;
        }
        at = code.groups.partner(at).map_or(at, |close| close) + 1;
    }
    let is_plain =
        (idx + 1..at).all(|idx| !["let", "match", "unsafe", "loop", "if"].contains(&code.text(idx)));
    (is_plain && at > idx + 1).then(|| (idx + 1, at - 1))
}

fn between_parentheses(code: &Code<'_>, idx: usize) -> Option<(usize, usize)> {
    let open = idx + 1;
    let close = (code.text(open) == "(").then(|| code.groups.partner(open))??;
    let declares = |idx: usize| ["=", ";", "auto", "const", "{"].contains(&code.text(idx));
    let is_plain = close - open <= LONGEST && !(open + 1..close).any(declares);
    (is_plain && close > open + 1).then(|| (open + 1, close - 1))
}
