//! Splits a line into words that may be identifiers.

use super::FactKind;
use super::token::kind_of;

/// Calls `found` with every identifier of a line.
pub(super) fn identifiers<'a>(line: &'a str, mut found: impl FnMut(&'a str, FactKind)) {
    let mut at = 0;
    while at < line.len() {
        let rest = &line[at..];
        let Some(first) = rest.chars().next() else { return };
        if first == '\u{1b}' {
            at += escape_length(rest);
            continue;
        }
        if is_edge(first) {
            at += first.len_utf8();
            continue;
        }
        let end = rest.find(is_edge).unwrap_or(rest.len());
        let mut word = &rest[..end];
        if let Some(scheme_end) = word.find("://") {
            let url_end = rest[scheme_end..]
                .find(ends_url)
                .map_or(rest.len(), |end| scheme_end + end);
            word = trimmed_url(&rest[..url_end]);
            let start = word[..scheme_end]
                .rfind(|letter: char| !letter.is_ascii_alphanumeric())
                .map_or(0, |before| before + 1);
            if word.len() > scheme_end + 3 {
                found(&word[start..], FactKind::Url);
            }
            at += word.len().max(1);
            continue;
        }
        at += end;
        report(trim_marks(word), &mut found);
    }
}

fn report<'a>(word: &'a str, found: &mut impl FnMut(&'a str, FactKind)) {
    if let Some(path) = without_line(word) {
        found(word, FactKind::Place);
        if let Some(kind) = kind_of(path) {
            found(path, kind);
        }
        return;
    }
    if let Some(kind) = kind_of(word) {
        found(word, kind);
        return;
    }
    // In `name:value` and `a..b`, check the part after the separator.
    for mark in [":", ".."] {
        if let Some((_, value)) = word.rsplit_once(mark)
            && let Some(kind) = kind_of(trim_marks(value))
        {
            found(trim_marks(value), kind);
            return;
        }
    }
}

/// The path of `path:line` or `path:line:column`; `None` for anything else, such as a host with a port.
fn without_line(word: &str) -> Option<&str> {
    let mut path = word;
    while let Some((before, number)) = path.rsplit_once(':') {
        if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
            break;
        }
        path = before;
    }
    let is_file = path.contains('/')
        && !path.contains("://")
        && !path.starts_with(|first: char| first.is_ascii_digit());
    (path.len() < word.len() && is_file).then_some(path)
}

/// Characters that never occur in an identifier.
fn is_edge(letter: char) -> bool {
    match letter {
        '"' | '\'' | '`' | '(' | ')' | '[' | ']' | '{' | '}' | '<' | '>' | ',' | ';' | '|' | '=' | '*'
        | '!' | '?' | '&' | '^' => true,
        letter if letter.is_ascii() => letter.is_ascii_whitespace() || letter.is_ascii_control(),
        letter => !is_latin(letter),
    }
}

fn is_latin(letter: char) -> bool {
    matches!(letter, '\u{c0}'..='\u{24f}') && letter.is_alphabetic()
}

fn ends_url(letter: char) -> bool {
    letter.is_whitespace()
        || letter.is_control()
        || !letter.is_ascii()
        || matches!(
            letter,
            '"' | '\'' | '`' | '<' | '>' | '|' | '\\' | '^' | '{' | '}'
        )
}

fn trimmed_url(url: &str) -> &str {
    let mut url = url.trim_end_matches(['.', ',', ';', ':', '!', '?', '*']);
    while url.ends_with([')', ']']) {
        let (open, close) = if url.ends_with(')') {
            ('(', ')')
        } else {
            ('[', ']')
        };
        if url.matches(open).count() >= url.matches(close).count() {
            break;
        }
        url = url[..url.len() - 1].trim_end_matches(['.', ',', ';', ':', '!', '?']);
    }
    url
}

fn trim_marks(word: &str) -> &str {
    word.trim_end_matches(['.', ':', '-', '%', '$', '\\', '@', '+', '#'])
        .trim_start_matches(['+', '-', '%', '$', '@', '\\'])
}

/// Length of the terminal escape sequence at the start of `text`.
fn escape_length(text: &str) -> usize {
    let mut letters = text.char_indices().skip(1);
    if letters.next().is_none_or(|(_, letter)| letter != '[') {
        return 1;
    }
    letters
        .find(|(_, letter)| matches!(letter, '@'..='~'))
        .map_or(text.len(), |(at, letter)| at + letter.len_utf8())
}
