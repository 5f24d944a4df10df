//! Changed literals: numbers, `true` and `false`, texts.

use super::change::{Change, Kind};
use super::code::Code;
use super::syntax::Syntax;
use super::tokens::TokenKind;

/// How many brackets a literal in a pattern may stand in.
const DEEPEST_PATTERN: usize = 10;
/// How far a pattern may go on behind a literal in it.
const LONGEST_PATTERN: usize = 200;

/// The literal at a token, changed.
pub(super) fn value(code: &Code<'_>, idx: usize) -> Option<Change> {
    let token = code.tokens[idx];
    let (kind, changed) = match token.kind {
        TokenKind::Number => (Kind::Value, next_number(code, idx)?),
        TokenKind::Word => match code.text(idx) {
            "true" => (Kind::Value, "false".to_owned()),
            "false" => (Kind::Value, "true".to_owned()),
            _ => return None,
        },
        TokenKind::Text => (Kind::Text, other_text(code, idx)?),
        TokenKind::Letter
        | TokenKind::Lifetime
        | TokenKind::Sign
        | TokenKind::Comment
        | TokenKind::Directive => return None,
    };
    let is_expression = !is_pattern(code, idx) && !is_template_argument(code, idx);
    is_expression.then(|| Change::becomes(kind, code.source, token.start..token.end, changed))
}

/// The number after a plain decimal one, where it is no size, index, shift or limit of a type.
fn next_number(code: &Code<'_>, idx: usize) -> Option<String> {
    let text = code.text(idx);
    let is_decimal =
        text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    let number: u32 = is_decimal.then(|| text.parse().ok())??;
    let is_limit = [i8::MAX as u32, u8::MAX.into(), i16::MAX as u32, u16::MAX.into()].contains(&number);
    let before = code.text_before(idx);
    let is_in_brackets = code.groups.inside(idx).is_some_and(|open| code.text(open) == "[");
    let is_size = is_in_brackets && (before == ";" || (before == "[" && code.text(idx + 1) == "]"));
    let is_place = [".", "<<", ">>", "<<=", ">>=", "/", "%"].contains(&before);
    let is_constant = code.syntax == Syntax::C
        && code
            .before_in_statement(idx)
            .any(|idx| ["const", "constexpr", "enum", "template"].contains(&code.text(idx)));
    let fits = number < i32::MAX as u32 && !is_limit && !is_size && !is_place && !is_constant;
    fits.then(|| (number + 1).to_string())
}

/// A text one character longer, where it is compared or given back.
fn other_text(code: &Code<'_>, idx: usize) -> Option<String> {
    let text = code.text(idx);
    let (before, after) = (code.text_before(idx), code.text(idx + 1));
    let is_compared = [before, after].iter().any(|sign| ["==", "!="].contains(sign));
    let is_given_back = before == "return"
        || (code.syntax == Syntax::Rust
            && (before == "=>" || (after == "}" && ["{", ";", "}"].contains(&before))));
    // The length of a byte string is part of its type.
    let is_bytes = code.syntax == Syntax::Rust && text.starts_with('b');
    if is_bytes || !(is_compared || is_given_back) {
        return None;
    }
    let is_raw = text
        .split('"')
        .next()
        .is_some_and(|prefix| prefix.contains(['r', 'R']));
    // Texts that stand side by side are one.
    let is_joined = [idx.checked_sub(1), Some(idx + 1)]
        .into_iter()
        .flatten()
        .any(|idx| code.kind(idx) == Some(TokenKind::Text));
    let close = text
        .rfind('"')
        .filter(|close| *close > 0 && !is_raw && !is_joined)?;
    Some(format!("{}~{}", &text[..close], &text[close..]))
}

/// Whether a literal of Rust stands in the pattern of a `match`, or may do so.
fn is_pattern(code: &Code<'_>, idx: usize) -> bool {
    if code.syntax != Syntax::Rust {
        return false;
    }
    let around = std::iter::successors(code.groups.inside(idx), |open| code.groups.inside(*open));
    let in_macro = around
        .take(DEEPEST_PATTERN)
        .any(|open| open >= 2 && code.text(open - 1) == "!" && code.text(open - 2).ends_with("matches"));
    in_macro || leads_to_arrow(code, idx)
}

/// Whether `=>` follows without a comma that would have begun another arm.
fn leads_to_arrow(code: &Code<'_>, idx: usize) -> bool {
    // How many groups were left, and whether there was a comma after leaving the last of them.
    let mut comma_since_left = false;
    let mut at = idx + 1;
    while at <= idx + LONGEST_PATTERN {
        match code.text(at) {
            "=>" => return !comma_since_left,
            ";" | "" => return false,
            "," => comma_since_left = true,
            ")" | "]" => comma_since_left = false,
            "}" => {
                comma_since_left = false;
                if !["=>", "|", "if", ")", ","].contains(&code.text(at + 1)) {
                    return false;
                }
            }
            "(" | "[" | "{" => at = code.groups.partner(at).unwrap_or(at),
            _ => {}
        }
        at += 1;
    }
    false
}

/// Whether a literal stands directly between angle brackets: `<3>`.
fn is_template_argument(code: &Code<'_>, idx: usize) -> bool {
    let before = code.text_before(idx) == "<" && idx.checked_sub(1).is_some_and(|idx| !code.stands_free(idx));
    let after = [">", ">>"].contains(&code.text(idx + 1)) && !code.stands_free(idx + 1);
    before || after
}
