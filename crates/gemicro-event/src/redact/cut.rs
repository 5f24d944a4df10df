//! Replaces spans of a text without breaking JSON.

use serde::de::IgnoredAny;

use super::MASK;
use super::redactor::join_spans;

/// The byte range `start..end` of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: usize,
    pub(super) end: usize,
}

/// Replaces each span with the mask. JSON stays valid: masks are put inside strings, and a number or literal that must
/// go becomes a string.
pub(super) fn cut(text: &str, spans: &[Span]) -> String {
    if is_json(text) {
        cut_json(text, spans)
    } else {
        cut_plain(text, spans)
    }
}

/// Replaces the spans in plain text; a span that cuts an escape sequence is extended to all of it.
pub(super) fn cut_plain(text: &str, spans: &[Span]) -> String {
    let mut whole: Vec<Span> = Vec::with_capacity(spans.len());
    for span in spans {
        join_spans(&mut whole, with_whole_escapes(text.as_bytes(), *span));
    }
    let mut redacted = String::with_capacity(text.len());
    let mut done = 0;
    for span in whole {
        redacted.push_str(&text[done..span.start]);
        redacted.push_str(MASK);
        done = span.end;
    }
    redacted.push_str(&text[done..]);
    redacted
}

/// The start of the escape sequence (`\n`, `\u00e9`) that contains `at`, or `at` itself.
pub(super) fn escape_start(text: &[u8], at: usize) -> usize {
    for n_back in 1..=5.min(at) {
        let start = at - n_back;
        if text[start] != b'\\' {
            continue;
        }
        let n_backslashes = text[..=start]
            .iter()
            .rev()
            .take_while(|&&byte| byte == b'\\')
            .count();
        let opens = n_backslashes % 2 == 1;
        let inside =
            n_back == 1 || (text[start + 1] == b'u' && text[start + 2..at].iter().all(u8::is_ascii_hexdigit));
        return if opens && inside { start } else { at };
    }
    at
}

fn with_whole_escapes(text: &[u8], span: Span) -> Span {
    let start = escape_start(text, span.start);
    let mut end = span.end;
    let cut_escape = escape_start(text, end);
    if cut_escape < end {
        end = match text.get(cut_escape + 1) {
            Some(b'u') => {
                let digits = text[cut_escape + 2..]
                    .iter()
                    .take(4)
                    .take_while(|byte| byte.is_ascii_hexdigit());
                cut_escape + 2 + digits.count()
            }
            // Only ASCII escapes are certainly one byte; other text keeps its whole character.
            Some(byte) if byte.is_ascii() => cut_escape + 2,
            Some(_) | None => end,
        };
        end = end.max(span.end);
    }
    Span { start, end }
}

/// Whether the text is one JSON value, or several as in JSON lines.
fn is_json(text: &str) -> bool {
    let values = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
    for value in values {
        if let Err(error) = value {
            // Nested too deeply for the parser, but valid up to there.
            return error.to_string().starts_with("recursion limit");
        }
    }
    true
}

fn cut_json(text: &str, spans: &[Span]) -> String {
    let bytes = text.as_bytes();
    let mut redacted = String::with_capacity(text.len());
    let mut spans = spans.iter().copied().peekable();
    let mut at = 0;
    while at < bytes.len() {
        let end = token_end(bytes, at);
        while spans.next_if(|span| span.end <= at).is_some() {}
        let hits: Vec<Span> = {
            let mut later = spans.clone();
            std::iter::from_fn(|| later.next_if(|span| span.start < end)).collect()
        };
        let token = &text[at..end];
        match bytes[at] {
            _ if hits.is_empty() => redacted.push_str(token),
            b'"' => {
                let inner = Span {
                    start: at + 1,
                    end: end.saturating_sub(1).max(at + 1),
                };
                let inside: Vec<Span> = hits
                    .iter()
                    .map(|hit| Span {
                        start: hit.start.max(inner.start) - inner.start,
                        end: hit.end.min(inner.end).max(inner.start) - inner.start,
                    })
                    .filter(|hit| hit.start < hit.end)
                    .collect();
                redacted.push('"');
                redacted.push_str(&cut_plain(&text[inner.start..inner.end], &inside));
                redacted.push_str(&text[inner.end..end]);
            }
            byte if is_structure(byte) => redacted.push_str(token),
            _ => {
                redacted.push('"');
                redacted.push_str(MASK);
                redacted.push('"');
            }
        }
        at = end;
    }
    redacted
}

/// The end of the JSON token at `at`: a string with its quotes, one structural byte, or a number or literal.
fn token_end(text: &[u8], at: usize) -> usize {
    if text[at] == b'"' {
        let mut end = at + 1;
        while end < text.len() && text[end] != b'"' {
            end += if text[end] == b'\\' { 2 } else { 1 };
        }
        return (end + 1).min(text.len());
    }
    if is_structure(text[at]) {
        return at + 1;
    }
    let length = text[at..]
        .iter()
        .take_while(|&&byte| byte != b'"' && !is_structure(byte))
        .count();
    at + length
}

fn is_structure(byte: u8) -> bool {
    matches!(
        byte,
        b'{' | b'}' | b'[' | b']' | b':' | b',' | b' ' | b'\t' | b'\n' | b'\r'
    )
}
