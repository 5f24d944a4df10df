//! The forms in which a key can come back: as it is, as hexadecimal digits or inside base64, and each of them written
//! through a few layers of escapes (JSON, percent, HTML, quoted-printable), with line breaks, or as UTF-16.
//!
//! Escapes are undone letter by letter while a form is compared, so a text is neither copied nor decoded as a whole, and only
//! what may be the beginning of a form has to be held back.

/// The forms of one key.
pub(super) struct KeyForms {
    patterns: Vec<KeyPattern>,
    /// The key in small letters, as names of headers have it.
    folded: Vec<u8>,
    /// The letters that a form can begin with.
    firsts: Vec<bool>,
}

struct KeyPattern {
    letters: Vec<u8>,
    /// Hexadecimal digits have both.
    any_case: bool,
    /// Whether its letters may be escaped, and have line breaks between them.
    is_written: bool,
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
const MAX_LAYERS: usize = 3;
/// Line breaks, zero bytes and indentation between two letters.
const MAX_GAP: usize = 12;
/// Digits of an HTML entity, leading zeros included.
const MAX_DIGITS: usize = 8;

const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const URL_SAFE: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

impl KeyForms {
    /// The forms of a key, which is not empty.
    pub(super) fn new(key: &[u8]) -> Self {
        let is_written = key.len() >= MIN_BYTES;
        let mut patterns = vec![KeyPattern {
            letters: key.to_vec(),
            any_case: false,
            is_written,
        }];
        if is_written {
            let digits: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
            let mut base64: Vec<Vec<u8>> = [STANDARD, URL_SAFE]
                .iter()
                .flat_map(|alphabet| (0..3).map(|n_before| base64_core(key, n_before, alphabet)))
                .collect();
            base64.sort_unstable();
            base64.dedup();
            let others = base64.into_iter().map(|core| (core, false));
            for (letters, any_case) in others.chain([(digits.into_bytes(), true)]) {
                patterns.push(KeyPattern {
                    letters,
                    any_case,
                    is_written,
                });
            }
        }
        let mut firsts = vec![false; 256];
        for pattern in &patterns {
            let first = pattern.letters[0];
            firsts[usize::from(first)] = true;
            firsts[usize::from(first.to_ascii_uppercase())] |= pattern.any_case;
        }
        Self {
            patterns,
            folded: key.to_ascii_lowercase(),
            firsts,
        }
    }

    /// What begins at a place of a text that may go on.
    pub(super) fn probe(&self, text: &[u8], at: usize) -> KeyProbe {
        let is_first = |byte: u8| self.firsts[usize::from(byte)];
        if !is_first(text[at]) {
            // One look at an escape for all forms.
            match self.patterns[0].escape(text, at, is_first) {
                KeyProbe::Full(_) => {}
                open_or_no => return open_or_no,
            }
        }
        let mut found = KeyProbe::No;
        for pattern in &self.patterns {
            match pattern.probe(text, at) {
                KeyProbe::No => {}
                KeyProbe::Open => found = KeyProbe::Open,
                full @ KeyProbe::Full(_) => return full,
            }
        }
        found
    }

    /// Whether a text in small letters holds the key.
    pub(super) fn is_in_folded(&self, text: &[u8]) -> bool {
        text.windows(self.folded.len()).any(|part| part == self.folded)
    }
}

impl KeyPattern {
    fn probe(&self, text: &[u8], at: usize) -> KeyProbe {
        let mut end = at;
        for (idx, &wanted) in self.letters.iter().enumerate() {
            if idx > 0 && self.is_written {
                match self.after_gap(text, end, wanted) {
                    KeyProbe::Full(after) => end = after,
                    open_or_no => return open_or_no,
                }
            }
            match self.letter(text, end, wanted) {
                KeyProbe::Full(after) => end = after,
                open_or_no => return open_or_no,
            }
        }
        KeyProbe::Full(end)
    }

    /// One letter, as it is or escaped.
    fn letter(&self, text: &[u8], at: usize, wanted: u8) -> KeyProbe {
        let is_it = |byte: u8| byte == wanted || self.any_case && byte.eq_ignore_ascii_case(&wanted);
        match text.get(at) {
            None => KeyProbe::Open,
            Some(&byte) if is_it(byte) => KeyProbe::Full(at + 1),
            Some(_) => self.escape(text, at, is_it),
        }
    }

    /// An escape for a byte that is wanted.
    fn escape(&self, text: &[u8], at: usize, is_wanted: impl Fn(u8) -> bool) -> KeyProbe {
        match self.is_written && begins_escape(text, at) {
            true => match_escaped(text, at, is_wanted),
            false => KeyProbe::No,
        }
    }

    /// The end of what may be between two letters; `wanted` is the next one.
    fn after_gap(&self, text: &[u8], at: usize, wanted: u8) -> KeyProbe {
        let is_break = |byte: u8| matches!(byte, b'\n' | b'\r' | 0);
        let (mut end, mut has_break) = (at, false);
        for _ in 0..MAX_GAP {
            let is_gap = |byte: u8| is_break(byte) || has_break && matches!(byte, b' ' | b'\t');
            // A soft line break of quoted-printable.
            let from = end + usize::from(text.get(end) == Some(&b'=') && wanted != b'=');
            let next = match text.get(from) {
                None => return KeyProbe::Open,
                Some(&byte) if is_gap(byte) => KeyProbe::Full(from + 1),
                Some(_) if from == end => self.escape(text, from, is_gap),
                Some(_) => KeyProbe::No,
            };
            match next {
                KeyProbe::Full(after) => (end, has_break) = (after, true),
                KeyProbe::Open => return KeyProbe::Open,
                KeyProbe::No => break,
            }
        }
        KeyProbe::Full(end)
    }
}

/// Whether an escape of JSON, an address, HTML or quoted-printable may begin here. Its second character may be escaped, too.
fn begins_escape(text: &[u8], at: usize) -> bool {
    let is_second: fn(u8) -> bool = match text[at] {
        b'%' | b'=' => |it| it.is_ascii_hexdigit(),
        b'&' => |it| it == b'#',
        b'\\' => |it| b"uxnr/".contains(&it),
        _ => return false,
    };
    text.get(at + 1)
        .is_none_or(|&it| is_second(it) || is_introducer(it))
}

fn is_introducer(byte: u8) -> bool {
    matches!(byte, b'\\' | b'%' | b'&' | b'=')
}

/// The end of an escape for a byte that is wanted, whatever the number of layers.
fn match_escaped(text: &[u8], at: usize, is_wanted: impl Fn(u8) -> bool) -> KeyProbe {
    for n_layers in 1..=MAX_LAYERS {
        match decode_at(text, at, n_layers) {
            Err(EndOfText) => return KeyProbe::Open,
            Ok((byte, end)) if is_wanted(byte) => return KeyProbe::Full(end),
            Ok((byte, _)) if !is_introducer(byte) => return KeyProbe::No,
            Ok(_) => {}
        }
    }
    KeyProbe::No
}

struct EndOfText;

/// The character at a place after this many layers of escapes are undone, and where the next one begins.
fn decode_at(text: &[u8], at: usize, n_layers: usize) -> Result<(u8, usize), EndOfText> {
    if n_layers == 0 {
        return text.get(at).map(|byte| (*byte, at + 1)).ok_or(EndOfText);
    }
    let below = |at: usize| decode_at(text, at, n_layers - 1);
    let (first, end) = below(at)?;
    let escaped = match first {
        b'%' | b'=' => hexadecimal(&below, end, 2)?,
        b'\\' => match below(end)? {
            (b'u', end) => hexadecimal(&below, end, 4)?,
            (b'x', end) => hexadecimal(&below, end, 2)?,
            (b'n', end) => Some((b'\n', end)),
            (b'r', end) => Some((b'\r', end)),
            (byte @ (b'/' | b'\\'), end) => Some((byte, end)),
            _ => None,
        },
        b'&' => entity(&below, end)?,
        _ => None,
    };
    Ok(escaped.unwrap_or((first, end)))
}

type DecodedByte = Result<Option<(u8, usize)>, EndOfText>;

/// A byte as so many hexadecimal digits.
fn hexadecimal(
    below: &impl Fn(usize) -> Result<(u8, usize), EndOfText>,
    mut at: usize,
    n_digits: usize,
) -> DecodedByte {
    let mut number = 0;
    for _ in 0..n_digits {
        let (digit, end) = below(at)?;
        let Some(digit) = char::from(digit).to_digit(16) else {
            return Ok(None);
        };
        (number, at) = (number * 16 + digit, end);
    }
    Ok(u8::try_from(number).ok().map(|byte| (byte, at)))
}

/// `&#65;` or `&#x41;`, after the `&`.
fn entity(below: &impl Fn(usize) -> Result<(u8, usize), EndOfText>, at: usize) -> DecodedByte {
    let (b'#', mut at) = below(at)? else {
        return Ok(None);
    };
    let mut radix = 10;
    if let (b'x' | b'X', end) = below(at)? {
        (radix, at) = (16, end);
    }
    let mut number = 0_u32;
    for _ in 0..=MAX_DIGITS {
        let (next, end) = below(at)?;
        match char::from(next).to_digit(radix) {
            Some(digit) => number = number.saturating_mul(radix).saturating_add(digit),
            None if next == b';' => return Ok(u8::try_from(number).ok().map(|byte| (byte, end))),
            None => return Ok(None),
        }
        at = end;
    }
    Ok(None)
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
