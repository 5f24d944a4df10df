//! Patterns of well-known tokens, to find secrets that are not known by value.
//!
//! A shape is a prefix that rarely occurs by chance, followed by a run of token characters. [`TextPosition`] is one
//! position in a text; `headers` and `pem` add their own checks to it.

use super::cut::{Span, escape_start};
use super::headers::NAMES;
use super::pem::PEM_BEGIN;
use super::scan::{FollowingText, SecretProbe};

/// Characters that a run must contain, so that ordinary words do not match.
#[derive(Clone, Copy)]
pub(super) enum Needs {
    Nothing,
    Digit,
    DigitOrUpper,
}

/// Where a prefix may occur.
#[derive(Clone, Copy)]
pub(super) enum PrefixPosition {
    Anywhere,
    /// Not inside a word: `sk-` in `task-` is not a token.
    WordStart,
}

pub(super) struct SecretShape {
    pub(super) prefix: &'static str,
    pub(super) place: PrefixPosition,
    pub(super) is_body: fn(u8) -> bool,
    pub(super) min: usize,
    pub(super) needs: Needs,
}

const fn shape(prefix: &'static str, is_body: fn(u8) -> bool, min: usize, needs: Needs) -> SecretShape {
    SecretShape {
        prefix,
        place: PrefixPosition::Anywhere,
        is_body,
        min,
        needs,
    }
}

const SHAPES: &[SecretShape] = &[
    // Google: API keys, the newer keys bound to an account, OAuth access tokens, client secrets.
    shape("AIza", is_word, 30, Needs::Nothing),
    shape("AQ.", is_word, 30, Needs::DigitOrUpper),
    shape("ya29.", is_dotted, 20, Needs::Nothing),
    shape("GOCSPX-", is_word, 20, Needs::Nothing),
    // Anthropic, OpenAI and others that use its prefix.
    shape("sk-ant-", is_word, 16, Needs::Nothing),
    SecretShape {
        prefix: "sk-",
        place: PrefixPosition::WordStart,
        is_body: is_word,
        min: 20,
        needs: Needs::DigitOrUpper,
    },
    // GitHub, GitLab, Slack, AWS, npm, Hugging Face.
    shape("ghp_", is_word, 20, Needs::Nothing),
    shape("gho_", is_word, 20, Needs::Nothing),
    shape("ghs_", is_dotted, 20, Needs::Nothing),
    shape("ghu_", is_word, 20, Needs::Nothing),
    shape("ghr_", is_word, 20, Needs::Nothing),
    shape("github_pat_", is_word, 20, Needs::Nothing),
    shape("glpat-", is_dotted, 16, Needs::Nothing),
    shape("xoxa-", is_word, 10, Needs::Digit),
    shape("xoxb-", is_word, 10, Needs::Digit),
    shape("xoxe-", is_word, 10, Needs::Digit),
    shape("xoxp-", is_word, 10, Needs::Digit),
    shape("xoxr-", is_word, 10, Needs::Digit),
    shape("xoxs-", is_word, 10, Needs::Digit),
    shape("AKIA", is_upper, 16, Needs::Nothing),
    shape("ASIA", is_upper, 16, Needs::Digit),
    shape("npm_", is_alnum, 36, Needs::Nothing),
    SecretShape {
        prefix: "hf_",
        place: PrefixPosition::WordStart,
        is_body: is_alnum,
        min: 30,
        needs: Needs::DigitOrUpper,
    },
];

const JWT: &str = "eyJ";

/// Maximum number of characters checked before a run counts, to bound the cost of hostile text.
const INSPECTED: usize = 512;
/// Maximum length of a JWT header; anything longer is other base64.
const MAX_JWT_HEADER: usize = 4096;
/// The same inside a word, where a JWT hardly ever starts.
const MAX_JWT_HEADER_IN_WORD: usize = 256;

/// Calls `allow` with the first two bytes of everything that can start a shape.
pub(super) fn starts(mut allow: impl FnMut(u8, u8)) {
    for prefix in SHAPES.iter().map(|shape| shape.prefix).chain([JWT, PEM_BEGIN]) {
        allow(prefix.as_bytes()[0], prefix.as_bytes()[1]);
    }
    for name in NAMES {
        let (first, second) = (name.as_bytes()[0], name.as_bytes()[1]);
        for first in [first, first.to_ascii_uppercase()] {
            allow(first, second);
            allow(first, second.to_ascii_uppercase());
        }
    }
}

/// Looks for a token that starts at this position. `covered` is the end of a span that already includes this position.
pub(super) fn probe(text: &[u8], at: usize, covered: Option<usize>, rest: FollowingText) -> SecretProbe {
    let look = TextPosition {
        text,
        at,
        covered,
        rest,
    };
    let tokens = SHAPES
        .iter()
        .fold(SecretProbe::No, |known, shape| known.or(look.token(shape)));
    tokens.or(look.jwt()).or(look.pem()).or(look.headers())
}

/// A position in a text to check for tokens.
#[derive(Clone, Copy)]
pub(super) struct TextPosition<'t> {
    pub(super) text: &'t [u8],
    pub(super) at: usize,
    pub(super) covered: Option<usize>,
    pub(super) rest: FollowingText,
}

/// The result of comparing a prefix.
pub(super) enum Prefix {
    No,
    Open,
    Ends(usize),
}

impl TextPosition<'_> {
    fn token(self, shape: &SecretShape) -> SecretProbe {
        let body = match self.literal(self.at, shape.prefix) {
            Prefix::No => return SecretProbe::No,
            Prefix::Open => return SecretProbe::Open,
            Prefix::Ends(body) => body,
        };
        if matches!(shape.place, PrefixPosition::WordStart) && !self.at_word_start() {
            return SecretProbe::No;
        }
        self.run(body, shape)
    }

    pub(super) fn run(self, body: usize, shape: &SecretShape) -> SecretProbe {
        let inspected = &self.text[body..self.text.len().min(body + INSPECTED)];
        let length = inspected
            .iter()
            .take_while(|&&byte| (shape.is_body)(byte))
            .count();
        if body + length == self.text.len() && self.rest == FollowingText::More {
            return SecretProbe::Open;
        }
        let run = &inspected[..length];
        let fits = match shape.needs {
            Needs::Nothing => true,
            Needs::Digit => run.iter().any(u8::is_ascii_digit),
            Needs::DigitOrUpper => run
                .iter()
                .any(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase()),
        };
        if length < shape.min || !fits {
            return SecretProbe::No;
        }
        self.up_to_end_of(shape.is_body, self.at, body + length)
    }

    /// The span from `start` to the end of the run that includes `from`.
    fn up_to_end_of(self, is_body: fn(u8) -> bool, start: usize, from: usize) -> SecretProbe {
        // Text that is already covered is not scanned again, so text full of prefixes stays linear.
        let from = from.max(self.covered.unwrap_or(0));
        let end = from
            + self.text[from..]
                .iter()
                .take_while(|&&byte| is_body(byte))
                .count();
        if end == self.text.len() && self.rest == FollowingText::More {
            return SecretProbe::Open;
        }
        SecretProbe::Full(Span { start, end })
    }

    /// A JWT: three or more base64 parts separated by dots, the first of which starts a JSON object.
    fn jwt(self) -> SecretProbe {
        let first = match self.literal(self.at, JWT) {
            Prefix::No => return SecretProbe::No,
            Prefix::Open => return SecretProbe::Open,
            Prefix::Ends(first) => first,
        };
        let max_header = if self.at_word_start() {
            MAX_JWT_HEADER
        } else {
            MAX_JWT_HEADER_IN_WORD
        };
        let mut end = first;
        for (max, min) in [(max_header, 8), (usize::MAX, 4)] {
            let limit = self.text.len().min(end.saturating_add(max));
            let length = self.text[end..limit]
                .iter()
                .take_while(|&&byte| is_word(byte))
                .count();
            end += length;
            match self.text.get(end) {
                None if self.rest == FollowingText::More => return SecretProbe::Open,
                Some(b'.') if length >= min => end += 1,
                Some(_) | None => return SecretProbe::No,
            }
        }
        self.up_to_end_of(is_dotted, self.at, end)
    }

    pub(super) fn literal(self, from: usize, literal: &str) -> Prefix {
        self.compare(from, literal, |found, wanted| found == wanted)
    }

    pub(super) fn literal_in_any_case(self, from: usize, literal: &str) -> Prefix {
        self.compare(from, literal, |found, wanted| found.eq_ignore_ascii_case(&wanted))
    }

    fn compare(self, from: usize, literal: &str, same: fn(u8, u8) -> bool) -> Prefix {
        let found = &self.text[from..];
        if !found
            .iter()
            .zip(literal.bytes())
            .all(|(&found, wanted)| same(found, wanted))
        {
            return Prefix::No;
        }
        match found.len() >= literal.len() {
            true => Prefix::Ends(from + literal.len()),
            false if self.rest == FollowingText::More => Prefix::Open,
            false => Prefix::No,
        }
    }

    /// Whether this position is not inside a word. The end of an escape (`\n`, `%0A`, a colour code) is not a word.
    fn at_word_start(self) -> bool {
        let before = &self.text[..self.at];
        let Some(&last) = before.last() else { return true };
        if self.covered.is_some() || !is_alnum(last) || escape_start(self.text, self.at - 1) < self.at - 1 {
            return true;
        }
        let percent = before.len() >= 3
            && before[before.len() - 3] == b'%'
            && before[before.len() - 2..].iter().all(u8::is_ascii_hexdigit);
        let colour = last == b'm' && {
            let mut codes = before[..before.len() - 1].iter().rev().take(12);
            codes.find(|&&byte| !is_digit(byte) && byte != b';') == Some(&b'[')
        };
        percent || colour
    }
}

pub(super) fn is_digit(byte: u8) -> bool {
    byte.is_ascii_digit()
}

fn is_alnum(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
}

fn is_upper(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit()
}

fn is_word(byte: u8) -> bool {
    is_alnum(byte) || matches!(byte, b'_' | b'-')
}

fn is_dotted(byte: u8) -> bool {
    is_word(byte) || byte == b'.'
}

pub(super) fn is_base64(byte: u8) -> bool {
    is_alnum(byte) || matches!(byte, b'+' | b'/' | b'=')
}

pub(super) fn is_value(byte: u8) -> bool {
    is_dotted(byte) || matches!(byte, b'~' | b'+' | b'/' | b'=' | b'%')
}

/// Whether a token, or the body of a key, could continue with this character.
pub(super) fn may_continue(letter: char) -> bool {
    letter.is_ascii() && (is_value(letter as u8) || letter == '\\')
}
