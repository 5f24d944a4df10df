//! Source text as tokens: where words, numbers, literals, comments and signs begin and end.
//!
//! The main function is [`tokens`]. Every text has tokens, also one that no compiler takes: what is not closed goes
//! on to the end. White space is no token. Places are bytes, always on the edge of a character.

use super::literals::{character_end, line_end, nested_comment_end, plain_comment_end, string_end};
use super::syntax::Syntax;

/// A piece of source text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token {
    /// What it is.
    pub(crate) kind: TokenKind,
    /// Its first byte.
    pub(crate) start: usize,
    /// The byte after its last.
    pub(crate) end: usize,
}

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// A name or keyword.
    Word,
    /// A number, with its suffix.
    Number,
    /// A string of any kind, with its prefix and quotes.
    Text,
    /// A character, with its quotes.
    Letter,
    /// A lifetime or label of Rust.
    Lifetime,
    /// One or more signs that belong together.
    Sign,
    /// A comment of any kind.
    Comment,
    /// A line for the preprocessor, with those it continues on.
    Directive,
}

impl Token {
    /// The text of the token.
    pub(crate) fn text(self, source: &str) -> &str {
        &source[self.start..self.end]
    }
}

/// Signs of several characters, the longer ones first.
const SIGNS: &[&str] = &[
    "<<=", ">>=", "...", "..=", "<=>", "->*", "->", "=>", "==", "!=", "<=", ">=", "&&", "||", "<<", ">>",
    "+=", "-=", "*=", "/=", "%=", "^=", "&=", "|=", "::", "..",
];
/// Signs that only C has: in Rust `--x` is twice a minus.
const SIGNS_OF_C: &[&str] = &["++", "--"];

/// The tokens of a source.
pub(crate) fn tokens(syntax: Syntax, source: &str) -> Vec<Token> {
    let bytes = source.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    let mut is_first_of_line = true;
    while at < bytes.len() {
        if bytes[at].is_ascii_whitespace() || bytes[at] == 0x0b {
            is_first_of_line |= bytes[at] == b'\n';
            at += 1;
            continue;
        }
        let (kind, end) = if is_first_of_line && is_directive(syntax, bytes, at) {
            (TokenKind::Directive, line_end(bytes, at, true))
        } else {
            token_at(syntax, source, at)
        };
        is_first_of_line &= kind == TokenKind::Comment;
        tokens.push(Token { kind, start: at, end });
        at = end;
    }
    tokens
}

fn is_directive(syntax: Syntax, bytes: &[u8], at: usize) -> bool {
    match syntax {
        Syntax::C => bytes[at] == b'#',
        // The first line of a script.
        Syntax::Rust => at == 0 && bytes.starts_with(b"#!") && bytes.get(2) != Some(&b'['),
    }
}

/// The kind and the end of the token that begins at a place that is not white.
fn token_at(syntax: Syntax, source: &str, at: usize) -> (TokenKind, usize) {
    let bytes = source.as_bytes();
    let rest = &source[at..];
    if rest.starts_with("//") {
        return (TokenKind::Comment, line_end(bytes, at, syntax == Syntax::C));
    }
    if rest.starts_with("/*") {
        let end = match syntax {
            Syntax::C => plain_comment_end(bytes, at),
            Syntax::Rust => nested_comment_end(bytes, at),
        };
        return (TokenKind::Comment, end);
    }
    if let Some(end) = string_end(syntax, source, at) {
        return (TokenKind::Text, end);
    }
    if let Some(end) = character_end(syntax, source, at) {
        return (TokenKind::Letter, end);
    }
    match bytes[at] {
        b'\'' if bytes.get(at + 1).copied().is_some_and(is_name) => {
            (TokenKind::Lifetime, name_end(bytes, at + 1))
        }
        byte if byte.is_ascii_digit() => (TokenKind::Number, number_end(syntax, bytes, at)),
        byte if is_name(byte) => (TokenKind::Word, word_end(syntax, bytes, at)),
        _ => (TokenKind::Sign, at + sign_len(syntax, rest)),
    }
}

/// Whether a byte can be part of a name; every byte beyond ASCII can.
pub(super) fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

fn name_end(bytes: &[u8], from: usize) -> usize {
    let n_name = bytes[from..].iter().take_while(|byte| is_name(**byte)).count();
    from + n_name
}

fn word_end(syntax: Syntax, bytes: &[u8], at: usize) -> usize {
    // `r#type` is one name.
    let is_raw = syntax == Syntax::Rust
        && bytes[at..].starts_with(b"r#")
        && bytes.get(at + 2).is_some_and(|byte| is_name(*byte));
    name_end(bytes, if is_raw { at + 2 } else { at })
}

fn number_end(syntax: Syntax, bytes: &[u8], at: usize) -> usize {
    let mut end = at;
    while let Some(byte) = bytes.get(end).copied() {
        let after = bytes.get(end + 1).copied();
        let goes_on = match byte {
            b'.' => after.is_some_and(|after| after.is_ascii_digit()) || ends_with_point(syntax, after),
            b'\'' => syntax == Syntax::C && after.is_some_and(is_name),
            b'+' | b'-' => is_exponent(&bytes[at..end]),
            byte => is_name(byte),
        };
        if !goes_on {
            break;
        }
        end += 1;
    }
    end
}

/// Whether a point after digits ends a number, as in `1.` and `1.f`; in Rust `1..2` is a range, `1.max(2)` a call.
fn ends_with_point(syntax: Syntax, after: Option<u8>) -> bool {
    match syntax {
        Syntax::C => true,
        Syntax::Rust => !after.is_some_and(|after| after == b'.' || is_name(after)),
    }
}

/// Whether a sign after these characters belongs to the number, as in `1e-3`; `0xe-3` is a difference.
fn is_exponent(number: &[u8]) -> bool {
    matches!(number.last(), Some(b'e' | b'E')) && !number.starts_with(b"0x") && !number.starts_with(b"0X")
}

fn sign_len(syntax: Syntax, rest: &str) -> usize {
    let of_c = SIGNS_OF_C.iter().filter(|_| syntax == Syntax::C);
    SIGNS
        .iter()
        .chain(of_c)
        .find(|sign| rest.starts_with(**sign))
        .map_or(1, |sign| sign.len())
}
