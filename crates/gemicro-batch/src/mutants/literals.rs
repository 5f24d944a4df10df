//! Where comments, strings and characters end.

use super::syntax::Syntax;
use super::tokens::is_name;

/// The end of the line, before its `\n`; where lines can be continued, of the last one.
pub(super) fn line_end(bytes: &[u8], from: usize, can_continue: bool) -> usize {
    let mut at = from;
    while at < bytes.len() {
        if bytes[at] == b'\n' {
            let line = bytes[from..at].strip_suffix(b"\r").unwrap_or(&bytes[from..at]);
            if !(can_continue && line.ends_with(b"\\")) {
                return at;
            }
        }
        at += 1;
    }
    bytes.len()
}

/// The end of a comment that another may stand in.
pub(super) fn nested_comment_end(bytes: &[u8], start: usize) -> usize {
    let mut depth = 0_usize;
    let mut at = start;
    while at + 1 < bytes.len() {
        match (bytes[at], bytes[at + 1]) {
            (b'/', b'*') => (depth, at) = (depth + 1, at + 2),
            (b'*', b'/') => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    bytes.len()
}

/// The end of a comment that goes to the first `*/`.
pub(super) fn plain_comment_end(bytes: &[u8], start: usize) -> usize {
    find(bytes, start + 2, b"*/").unwrap_or(bytes.len())
}

/// The end of the string that begins here with its prefix, if one does.
pub(super) fn string_end(syntax: Syntax, source: &str, at: usize) -> Option<usize> {
    let bytes = source.as_bytes();
    let n_prefix = bytes[at..]
        .iter()
        .take(4)
        .take_while(|byte| byte.is_ascii_alphanumeric())
        .count();
    let prefix = &source[at..at + n_prefix];
    let open = at + n_prefix;
    match syntax {
        Syntax::Rust => match prefix {
            "" | "b" | "c" => is_quote(bytes, open).then(|| quoted_end(bytes, open, b'"')),
            "r" | "br" | "cr" => raw_end_of_rust(bytes, open),
            _ => None,
        },
        Syntax::C => match prefix {
            "" | "L" | "u" | "U" | "u8" => is_quote(bytes, open).then(|| quoted_end(bytes, open, b'"')),
            "R" | "LR" | "uR" | "UR" | "u8R" => is_quote(bytes, open).then(|| raw_end_of_c(bytes, open)),
            _ => None,
        },
    }
}

/// The end of the character that begins here with its prefix, if one does; a lifetime is none.
pub(super) fn character_end(syntax: Syntax, source: &str, at: usize) -> Option<usize> {
    let bytes = source.as_bytes();
    let prefixes: &[&str] = match syntax {
        Syntax::Rust => &["b'", "'"],
        Syntax::C => &["u8'", "L'", "u'", "U'", "'"],
    };
    let prefix = prefixes
        .iter()
        .find(|prefix| source[at..].starts_with(**prefix))?;
    let open = at + prefix.len() - 1;
    match syntax {
        Syntax::C => Some(quoted_end(bytes, open, b'\'')),
        Syntax::Rust if bytes.get(open + 1) == Some(&b'\\') => Some(quoted_end(bytes, open, b'\'')),
        Syntax::Rust => {
            let letter = source[open + 1..].chars().next()?;
            let close = open + 1 + letter.len_utf8();
            (bytes.get(close) == Some(&b'\'')).then_some(close + 1)
        }
    }
}

fn is_quote(bytes: &[u8], at: usize) -> bool {
    bytes.get(at) == Some(&b'"')
}

/// The place after the closing quote; a backslash takes what follows it.
fn quoted_end(bytes: &[u8], open: usize, quote: u8) -> usize {
    let mut at = open + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

fn raw_end_of_rust(bytes: &[u8], hashes: usize) -> Option<usize> {
    let n_hashes = bytes[hashes..].iter().take_while(|byte| **byte == b'#').count();
    let open = hashes + n_hashes;
    // `r#type` is a name.
    if !is_quote(bytes, open) {
        return None;
    }
    let mut close = vec![b'"'];
    close.resize(n_hashes + 1, b'#');
    Some(find(bytes, open + 1, &close).unwrap_or(bytes.len()))
}

/// `R"word( … )word"`.
fn raw_end_of_c(bytes: &[u8], open: usize) -> usize {
    let word_len = bytes[open + 1..]
        .iter()
        .take(16)
        .take_while(|byte| is_name(**byte) || b"-.:+*".contains(byte))
        .count();
    let parenthesis = open + 1 + word_len;
    if bytes.get(parenthesis) != Some(&b'(') {
        return quoted_end(bytes, open, b'"');
    }
    let close = [b")", &bytes[open + 1..parenthesis], b"\""].concat();
    find(bytes, parenthesis + 1, &close).unwrap_or(bytes.len())
}

/// The place after the first occurrence.
fn find(bytes: &[u8], from: usize, what: &[u8]) -> Option<usize> {
    bytes
        .get(from..)?
        .windows(what.len())
        .position(|window| window == what)
        .map(|at| from + at + what.len())
}
