//! The encoded forms in which a known secret can appear in a text.
//!
//! Besides the value itself: JSON string content (escaped once or twice, in the spellings of common writers) and
//! part of base64 (all three alignments, both alphabets). Each form also matches if any of its bytes are
//! percent-encoded, which covers every kind of URL.

use super::cut::Span;
use super::scan::{FollowingText, SecretProbe};
use super::{MASK, shapes};

/// Minimum length of a secret in characters; shorter values are ignored.
const MIN_CHARS: usize = 8;

/// The patterns of all known secrets, with a lookup table for their first bytes.
pub(super) struct Forms {
    patterns: Vec<Vec<u8>>,
    /// Pattern indices by first byte.
    by_first: Vec<Vec<u32>>,
    /// One bit per pair of bytes that can start a pattern or a token shape.
    pairs: Vec<u64>,
    longest: usize,
}

impl Default for Forms {
    fn default() -> Self {
        Self::of::<&str>([])
    }
}

impl Forms {
    pub(super) fn of<S: AsRef<str>>(secrets: impl IntoIterator<Item = S>) -> Self {
        let mut patterns = Vec::new();
        for secret in secrets {
            let secret = secret.as_ref().trim();
            if secret.chars().count() >= MIN_CHARS && !secret.contains(MASK) {
                push_forms(secret, &mut patterns);
            }
        }
        patterns.sort_unstable();
        patterns.dedup();
        let mut forms = Self {
            by_first: vec![Vec::new(); 256],
            pairs: vec![0; 1024],
            longest: patterns
                .iter()
                .map(|pattern| pattern.len() * 3)
                .max()
                .unwrap_or(0),
            patterns: Vec::new(),
        };
        for (idx, pattern) in patterns.iter().enumerate() {
            let (first, second) = (pattern[0], pattern[1]);
            let idx = u32::try_from(idx).expect("secrets are few");
            forms.by_first[usize::from(first)].push(idx);
            if first != b'%' {
                forms.by_first[usize::from(b'%')].push(idx);
            }
            let starts: &[u8] = match first {
                b' ' => b" +",
                b'/' => b"/\\",
                _ => &[first],
            };
            for &start in starts {
                if start != first {
                    forms.by_first[usize::from(start)].push(idx);
                }
                // The second character may be encoded in several ways; then only the first byte is checked.
                let plain = second.is_ascii_alphanumeric() && start == first;
                for next in 0..=255 {
                    if !plain || next == second || next == b'%' {
                        forms.allow(start, next);
                    }
                }
            }
            for digit in [
                b"0123456789ABCDEF"[usize::from(first >> 4)],
                b"0123456789abcdef"[usize::from(first >> 4)],
            ] {
                forms.allow(b'%', digit);
            }
        }
        forms.patterns = patterns;
        shapes::starts(|first, second| forms.allow(first, second));
        forms
    }

    pub(super) fn len(&self) -> usize {
        self.patterns.len()
    }

    /// Length of the longest text that a pattern can match.
    pub(super) fn longest(&self) -> usize {
        self.longest
    }

    /// A quick check whether anything can start at this position.
    pub(super) fn may_start(&self, text: &[u8], at: usize) -> bool {
        match text.get(at + 1) {
            Some(&next) => {
                let pair = usize::from(text[at]) << 8 | usize::from(next);
                self.pairs[pair >> 6] & (1 << (pair & 63)) != 0
            }
            None => true,
        }
    }

    /// Looks for a known secret that starts at this position.
    pub(super) fn probe(&self, text: &[u8], at: usize, rest: FollowingText) -> SecretProbe {
        let candidates = self.by_first[usize::from(text[at])].iter();
        candidates.fold(SecretProbe::No, |known, &idx| {
            known.or(matches(&self.patterns[idx as usize], text, at, rest))
        })
    }

    fn allow(&mut self, first: u8, second: u8) {
        let pair = usize::from(first) << 8 | usize::from(second);
        self.pairs[pair >> 6] |= 1 << (pair & 63);
    }
}

/// Compares a pattern with the text; each byte may be percent-encoded, a space may be `+`, and `/` may be `\/`.
fn matches(pattern: &[u8], text: &[u8], at: usize, rest: FollowingText) -> SecretProbe {
    let mut end = at;
    for &byte in pattern {
        match text.get(end) {
            None => {
                return if rest == FollowingText::More {
                    SecretProbe::Open
                } else {
                    SecretProbe::No
                };
            }
            Some(b'%') if encoded(byte, text.get(end + 1..).unwrap_or_default(), rest) => {
                if end + 3 > text.len() {
                    return SecretProbe::Open;
                }
                end += 3;
            }
            Some(&found) if found == byte || (found == b'+' && byte == b' ') => end += 1,
            Some(b'\\') if byte == b'/' => match text.get(end + 1) {
                Some(b'/') => end += 2,
                Some(_) => return SecretProbe::No,
                None => {
                    return if rest == FollowingText::More {
                        SecretProbe::Open
                    } else {
                        SecretProbe::No
                    };
                }
            },
            Some(_) => return SecretProbe::No,
        }
    }
    SecretProbe::Full(Span { start: at, end })
}

/// Whether the digits after a percent sign encode `byte`; incomplete digits count while more text may follow.
fn encoded(byte: u8, digits: &[u8], rest: FollowingText) -> bool {
    let wanted = [byte >> 4, byte & 15];
    let n_given = digits.len().min(2);
    (n_given == 2 || rest == FollowingText::More)
        && digits
            .iter()
            .zip(wanted)
            .all(|(&digit, nibble)| char::from(digit).to_digit(16) == Some(nibble.into()))
}

fn push_forms(secret: &str, patterns: &mut Vec<Vec<u8>>) {
    patterns.push(secret.as_bytes().to_vec());
    for spelling in [
        Spelling::Minimal,
        Spelling::AsciiLower,
        Spelling::AsciiUpper,
        Spelling::Html,
    ] {
        let once = json_escaped(secret, spelling);
        patterns.push(json_escaped(&once, spelling).into_bytes());
        patterns.push(once.into_bytes());
    }
    for alphabet in [STANDARD, URL_SAFE] {
        for n_before in 0..3 {
            patterns.push(base64_core(secret.as_bytes(), n_before, alphabet));
        }
    }
}

/// The choices that JSON writers make in escaping.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Spelling {
    Minimal,
    /// Non-ASCII characters as `\u00e9`.
    AsciiLower,
    /// Non-ASCII characters as `\u00E9`.
    AsciiUpper,
    /// Also escapes `<`, `>`, `&` and `'`, to be safe in HTML.
    Html,
}

fn json_escaped(text: &str, spelling: Spelling) -> String {
    let mut escaped = String::with_capacity(text.len() + 8);
    for letter in text.chars() {
        match letter {
            '"' => escaped.push_str("\\\""),
            '\\' => escaped.push_str("\\\\"),
            '\n' => escaped.push_str("\\n"),
            '\r' => escaped.push_str("\\r"),
            '\t' => escaped.push_str("\\t"),
            '\u{8}' => escaped.push_str("\\b"),
            '\u{c}' => escaped.push_str("\\f"),
            '<' | '>' | '&' | '\'' if spelling == Spelling::Html => {
                push_units(letter, spelling, &mut escaped)
            }
            '\0'..='\u{1f}' => push_units(letter, spelling, &mut escaped),
            ' '..='~' => escaped.push(letter),
            _ if matches!(spelling, Spelling::AsciiLower | Spelling::AsciiUpper) => {
                push_units(letter, spelling, &mut escaped);
            }
            _ => escaped.push(letter),
        }
    }
    escaped
}

fn push_units(letter: char, spelling: Spelling, escaped: &mut String) {
    for unit in letter.encode_utf16(&mut [0; 2]) {
        let digits = match spelling {
            Spelling::AsciiUpper => format!("\\u{unit:04X}"),
            Spelling::Minimal | Spelling::AsciiLower | Spelling::Html => format!("\\u{unit:04x}"),
        };
        escaped.push_str(&digits);
    }
}

const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const URL_SAFE: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// The base64 characters that depend only on `secret`, if `n_before` bytes (modulo 3) precede it.
fn base64_core(secret: &[u8], n_before: usize, alphabet: &[u8; 64]) -> Vec<u8> {
    let bit = |idx: usize| {
        let idx = idx - n_before * 8;
        secret[idx / 8] >> (7 - idx % 8) & 1
    };
    let first = (n_before * 8).div_ceil(6);
    let end = (n_before + secret.len()) * 8 / 6;
    (first..end)
        .map(|digit| (digit * 6..digit * 6 + 6).fold(0, |sextet, idx| sextet << 1 | bit(idx)))
        .map(|sextet| alphabet[usize::from(sextet)])
        .collect()
}
