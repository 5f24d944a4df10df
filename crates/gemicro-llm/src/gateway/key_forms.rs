//! The forms in which a key can come back: as it is, with letters escaped (`\\u0041`, `%41`), as hexadecimal digits, or
//! inside base64.

/// The forms of one key.
pub(super) struct KeyForms {
    key: Vec<u8>,
    /// What the key decides of a base64 text, for each place it can have there and both alphabets.
    base64: Vec<Vec<u8>>,
    /// The bytes that a form can begin with.
    starts: Vec<bool>,
}

/// What begins at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyProbe {
    /// No form of the key.
    No,
    /// The beginning of one; more bytes decide.
    Open,
    /// One, up to here.
    Full(usize),
}

/// Keys that are shorter are looked for only as they are: their other forms would be found by chance.
const MIN_BYTES: usize = 8;
/// Backslashes before an escaped letter: JSON inside JSON doubles them.
const MAX_BACKSLASHES: usize = 4;

const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const URL_SAFE: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

impl KeyForms {
    /// The forms of a key, which is not empty.
    pub(super) fn new(key: &[u8]) -> Self {
        let mut forms = Self {
            key: key.to_vec(),
            base64: Vec::new(),
            starts: vec![false; 256],
        };
        if key.len() >= MIN_BYTES {
            for alphabet in [STANDARD, URL_SAFE] {
                for n_before in 0..3 {
                    forms.base64.push(base64_core(key, n_before, alphabet));
                }
            }
            forms.base64.sort_unstable();
            forms.base64.dedup();
        }
        let mut starts = vec![key[0]];
        if forms.has_written_forms() {
            starts.extend(*b"\\%");
            let digit = char::from_digit(u32::from(key[0] >> 4), 16).unwrap_or('0');
            starts.extend([digit as u8, digit.to_ascii_uppercase() as u8]);
            starts.extend(forms.base64.iter().filter_map(|core| core.first().copied()));
        }
        for start in starts {
            forms.starts[usize::from(start)] = true;
        }
        forms
    }

    /// What begins at a place of a text that may go on.
    pub(super) fn probe(&self, text: &[u8], at: usize) -> KeyProbe {
        if !self.starts[usize::from(text[at])] {
            return KeyProbe::No;
        }
        let mut found = self.escaped(text, at);
        if self.has_written_forms() {
            found = found.or(|| self.hexadecimal(text, at));
            for core in &self.base64 {
                found = found.or(|| literal(core, text, at));
            }
        }
        found
    }

    fn has_written_forms(&self) -> bool {
        self.key.len() >= MIN_BYTES
    }

    /// The key with any of its letters escaped.
    fn escaped(&self, text: &[u8], at: usize) -> KeyProbe {
        if !self.has_written_forms() {
            return literal(&self.key, text, at);
        }
        let mut end = at;
        for &byte in &self.key {
            match letter(byte, &text[end..]) {
                KeyProbe::Full(length) => end += length,
                KeyProbe::Open => return KeyProbe::Open,
                KeyProbe::No => return KeyProbe::No,
            }
        }
        KeyProbe::Full(end)
    }

    /// Two digits for each letter, in either case.
    fn hexadecimal(&self, text: &[u8], at: usize) -> KeyProbe {
        let mut end = at;
        for &byte in &self.key {
            for nibble in [byte >> 4, byte & 15] {
                match text.get(end) {
                    None => return KeyProbe::Open,
                    Some(&digit) if is_digit(digit, nibble) => end += 1,
                    Some(_) => return KeyProbe::No,
                }
            }
        }
        KeyProbe::Full(end)
    }
}

impl KeyProbe {
    /// This, or what another form says: a whole key goes before a beginning, a beginning before nothing.
    fn or(self, other: impl FnOnce() -> Self) -> Self {
        match self {
            Self::Full(_) => self,
            Self::No => other(),
            Self::Open => match other() {
                Self::Full(end) => Self::Full(end),
                Self::Open | Self::No => Self::Open,
            },
        }
    }
}

fn literal(pattern: &[u8], text: &[u8], at: usize) -> KeyProbe {
    let rest = &text[at..];
    if rest.starts_with(pattern) {
        KeyProbe::Full(at + pattern.len())
    } else if pattern.starts_with(rest) {
        KeyProbe::Open
    } else {
        KeyProbe::No
    }
}

/// How many bytes a letter of the key takes at the beginning of `text`, as it is or escaped.
fn letter(byte: u8, text: &[u8]) -> KeyProbe {
    match text.first() {
        None => KeyProbe::Open,
        Some(&found) if found == byte => KeyProbe::Full(1),
        Some(b'%') => digits(&[byte >> 4, byte & 15], text, 1),
        Some(b'\\') => {
            let n_backslashes = text.iter().take_while(|&&found| found == b'\\').count();
            match text.get(n_backslashes) {
                _ if n_backslashes > MAX_BACKSLASHES => KeyProbe::No,
                None => KeyProbe::Open,
                Some(b'/') if byte == b'/' => KeyProbe::Full(n_backslashes + 1),
                Some(b'u') => digits(&[0, 0, byte >> 4, byte & 15], text, n_backslashes + 1),
                Some(b'x') => digits(&[byte >> 4, byte & 15], text, n_backslashes + 1),
                Some(_) => KeyProbe::No,
            }
        }
        Some(_) => KeyProbe::No,
    }
}

/// Hexadecimal digits from a place on; the length counts from the beginning of `text`.
fn digits(nibbles: &[u8], text: &[u8], from: usize) -> KeyProbe {
    for (idx, &nibble) in nibbles.iter().enumerate() {
        match text.get(from + idx) {
            None => return KeyProbe::Open,
            Some(&digit) if is_digit(digit, nibble) => {}
            Some(_) => return KeyProbe::No,
        }
    }
    KeyProbe::Full(from + nibbles.len())
}

fn is_digit(digit: u8, nibble: u8) -> bool {
    char::from(digit).to_digit(16) == Some(u32::from(nibble))
}

/// The base64 letters that `key` decides when `n_before` bytes (modulo 3) come before it.
fn base64_core(key: &[u8], n_before: usize, alphabet: &[u8; 64]) -> Vec<u8> {
    let bit = |idx: usize| {
        let idx = idx - n_before * 8;
        key[idx / 8] >> (7 - idx % 8) & 1
    };
    let first = (n_before * 8).div_ceil(6);
    let end = (n_before + key.len()) * 8 / 6;
    (first..end)
        .map(|digit| (digit * 6..digit * 6 + 6).fold(0, |sextet, idx| sextet << 1 | bit(idx)))
        .map(|sextet| alphabet[usize::from(sextet)])
        .collect()
}
