//! Finds headers with credentials: the value is masked, the name is kept.

use super::cut::Span;
use super::scan::{FollowingText, SecretProbe};
use super::shapes::{Needs, Prefix, PrefixPosition, SecretShape, TextPosition, is_value};

/// Texts that start a match; compared case-insensitively.
pub(super) const NAMES: [&str; 4] = [HEADERS[0], HEADERS[1], AUTHORIZATION, BEARER];

/// Headers whose whole value is a secret.
const HEADERS: [&str; 2] = ["x-goog-api-key", "x-api-key"];
const AUTHORIZATION: &str = "authorization";
const SCHEMES: [&str; 3] = ["bearer", "basic", "token"];
const BEARER: &str = "bearer";

/// Minimum length of a header value that counts as a secret.
const MIN_VALUE: usize = 8;

impl TextPosition<'_> {
    pub(super) fn headers(self) -> SecretProbe {
        let named = HEADERS.iter().fold(SecretProbe::No, |known, name| {
            known.or(match self.literal_in_any_case(self.at, name) {
                Prefix::No => SecretProbe::No,
                Prefix::Open => SecretProbe::Open,
                Prefix::Ends(end) => self.value_after(end),
            })
        });
        let authorization = match self.literal_in_any_case(self.at, AUTHORIZATION) {
            Prefix::No => SecretProbe::No,
            Prefix::Open => SecretProbe::Open,
            Prefix::Ends(end) => match self.separator(end) {
                Prefix::No => SecretProbe::No,
                Prefix::Open => SecretProbe::Open,
                Prefix::Ends(scheme) => SCHEMES.iter().fold(SecretProbe::No, |known, name| {
                    known.or(self.credential(scheme, name, MIN_VALUE, Needs::Nothing))
                }),
            },
        };
        named
            .or(authorization)
            .or(self.credential(self.at, BEARER, 20, Needs::Digit))
    }

    /// The value of a header whose name ends at `name_end`.
    fn value_after(self, name_end: usize) -> SecretProbe {
        match self.separator(name_end) {
            Prefix::No => SecretProbe::No,
            Prefix::Open => SecretProbe::Open,
            Prefix::Ends(value) => self.value(value, MIN_VALUE, Needs::Nothing),
        }
    }

    /// A scheme such as `Bearer` at `from`, white space, and the value.
    fn credential(self, from: usize, scheme: &str, min: usize, needs: Needs) -> SecretProbe {
        let after = match self.literal_in_any_case(from, scheme) {
            Prefix::No => return SecretProbe::No,
            Prefix::Open => return SecretProbe::Open,
            Prefix::Ends(after) => after,
        };
        let rest = &self.text[after..];
        let n_blanks = match rest {
            [b'%', b'2', b'0', ..] => 3,
            _ => rest
                .iter()
                .take(4)
                .take_while(|&&byte| matches!(byte, b' ' | b'\t' | b'+'))
                .count(),
        };
        match n_blanks {
            0 if rest.len() < 3 && self.rest == FollowingText::More => SecretProbe::Open,
            0 => SecretProbe::No,
            n_blanks => self.value(after + n_blanks, min, needs),
        }
    }

    fn value(self, start: usize, min: usize, needs: Needs) -> SecretProbe {
        let shape = SecretShape {
            prefix: "",
            place: PrefixPosition::Anywhere,
            is_body: is_value,
            min,
            needs,
        };
        match self.run(start, &shape) {
            SecretProbe::Full(span) => SecretProbe::Full(Span { start, end: span.end }),
            other @ (SecretProbe::No | SecretProbe::Open) => other,
        }
    }

    /// The separator between a header's name and its value, including quotes and their escapes.
    fn separator(self, from: usize) -> Prefix {
        let between = self.text[from..].iter().take(12);
        let length = between
            .take_while(|&&byte| matches!(byte, b'"' | b'\'' | b'\\' | b':' | b'=' | b' ' | b'\t'))
            .count();
        let says_value = self.text[from..from + length]
            .iter()
            .any(|byte| matches!(byte, b':' | b'='));
        match says_value {
            _ if from + length == self.text.len() && self.rest == FollowingText::More => Prefix::Open,
            true => Prefix::Ends(from + length),
            false => Prefix::No,
        }
    }
}
