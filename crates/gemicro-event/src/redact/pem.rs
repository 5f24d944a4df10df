//! Finds private keys in PEM format, from the first to the last dash.

use super::cut::Span;
use super::scan::{FollowingText, SecretProbe};
use super::shapes::{Prefix, TextPosition, is_base64, is_digit};

pub(super) const PEM_BEGIN: &str = "-----BEGIN ";
const PEM_END: &str = "-----END ";

impl TextPosition<'_> {
    /// A private key in PEM format. Its line breaks may be escaped, and its end may be missing.
    pub(super) fn pem(self) -> SecretProbe {
        let label = match self.literal(self.at, PEM_BEGIN) {
            Prefix::No => return SecretProbe::No,
            Prefix::Open => return SecretProbe::Open,
            Prefix::Ends(label) => label,
        };
        let Some(mut end) = self.pem_label(label) else {
            let waits = self.rest == FollowingText::More && self.text.len() - label < 64;
            return if waits && self.text[label..].iter().all(|&byte| byte != b'\n') {
                SecretProbe::Open
            } else {
                SecretProbe::No
            };
        };
        loop {
            let line = end + self.line_ends(end);
            let length = self.text[line..]
                .iter()
                .take_while(|&&byte| is_base64(byte))
                .count();
            let after = line + length;
            let headers = ["Proc-Type:", "DEK-Info:"];
            let is_header = headers
                .iter()
                .any(|header| self.text[line..].starts_with(header.as_bytes()));
            if self.rest == FollowingText::More && self.text.len() - after < PEM_END.len() + 2 {
                return SecretProbe::Open;
            }
            if is_header {
                let rest = self.text[line..].iter();
                end = line
                    + rest
                        .take_while(|&&byte| byte != b'\n' && byte != b'\\' && byte != b'"')
                        .count();
                continue;
            }
            let last = after + self.line_ends(after);
            if self.text[last..].starts_with(PEM_END.as_bytes()) {
                return match self.pem_label(last + PEM_END.len()) {
                    Some(end) => SecretProbe::Full(Span { start: self.at, end }),
                    None if self.rest == FollowingText::More && self.text.len() - last < 96 => {
                        SecretProbe::Open
                    }
                    None => SecretProbe::Full(Span {
                        start: self.at,
                        end: last,
                    }),
                };
            }
            // Without an end marker, a key extends as far as its lines look like one.
            if length >= 20 || (length > 0 && after == self.text.len()) {
                end = after;
            } else {
                return SecretProbe::Full(Span { start: self.at, end });
            }
        }
    }

    /// The end of `RSA PRIVATE KEY-----` at `from`.
    fn pem_label(self, from: usize) -> Option<usize> {
        let label = &self.text[from..self.text.len().min(from + 64)];
        let length = label
            .iter()
            .take_while(|&&byte| byte.is_ascii_uppercase() || byte == b' ' || is_digit(byte))
            .count();
        let is_key =
            label[..length].ends_with(b"PRIVATE KEY") || label[..length].ends_with(b"PRIVATE KEY BLOCK");
        (is_key && label[length..].starts_with(b"-----")).then_some(from + length + 5)
    }

    fn line_ends(self, from: usize) -> usize {
        let mut at = from;
        loop {
            match (self.text.get(at), self.text.get(at + 1)) {
                (Some(b'\n' | b'\r' | b' ' | b'\t'), _) => at += 1,
                (Some(b'\\'), Some(b'n' | b'r')) => at += 2,
                _ => return at - from,
            }
        }
    }
}
