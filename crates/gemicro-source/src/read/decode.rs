//! Decodes bytes into stored text: [`decode`], and [`decode_labelled`] for bytes with an encoding label.
//!
//! Recognises UTF-8 and UTF-16 (by byte order mark or by the pattern of zero bytes), otherwise windows-1252, a superset
//! of Latin-1. Anything else is binary.

use encoding_rs::{Encoding, REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};

use super::ReadError;
use super::invisible::without_harmless;

/// Number of bytes that decide whether a file is binary.
const PROBE_BYTES: usize = 64 << 10;

/// Decodes the bytes, makes every line end `\n` and removes invisible characters, except those that disguise words:
/// `parse` looks for them.
pub fn decode(bytes: &[u8]) -> Result<String, ReadError> {
    let text = if let Some(rest) = bytes.strip_prefix(b"\xef\xbb\xbf") {
        decode_bytes(rest)?
    } else if let Some(rest) = bytes.strip_prefix(b"\xff\xfe") {
        utf_16(rest, UTF_16LE)?
    } else if let Some(rest) = bytes.strip_prefix(b"\xfe\xff") {
        utf_16(rest, UTF_16BE)?
    } else {
        decode_bytes(bytes)?
    };
    Ok(clean(text))
}

/// Decodes with the labelled encoding, such as `shift_jis`, if it fits the bytes. A byte order mark takes precedence
/// over a label. UTF-8 and windows-1252 are detected from the bytes, because labels are most often wrong about them.
pub(crate) fn decode_labelled(bytes: &[u8], label: Option<&str>) -> Result<String, ReadError> {
    let encoding = label.and_then(|label| Encoding::for_label(label.as_bytes()));
    let told_by_bytes = [UTF_8, WINDOWS_1252, REPLACEMENT, X_USER_DEFINED];
    match encoding.filter(|encoding| !told_by_bytes.contains(encoding)) {
        Some(_) if Encoding::for_bom(bytes).is_some() => decode(bytes),
        Some(encoding) if [UTF_16BE, UTF_16LE].contains(&encoding) => {
            utf_16(bytes, encoding).map(clean).or_else(|_| decode(bytes))
        }
        Some(encoding) => {
            let probe = &bytes[..bytes.len().min(PROBE_BYTES)];
            if probe.contains(&0) || too_many_controls(probe.iter().map(|byte| u32::from(*byte)), probe.len())
            {
                return Err(ReadError::Binary);
            }
            let text = encoding.decode_without_bom_handling(bytes).0;
            let n_bad = text.chars().filter(|c| *c == '\u{fffd}').count();
            if n_bad * 50 > text.chars().count() {
                return decode(bytes);
            }
            Ok(clean(text.into_owned()))
        }
        None => decode(bytes),
    }
}

fn decode_bytes(bytes: &[u8]) -> Result<String, ReadError> {
    let probe = &bytes[..bytes.len().min(PROBE_BYTES)];
    if probe.contains(&0) {
        return match zero_pattern(probe) {
            ZeroPattern::LittleEndian => utf_16(bytes, UTF_16LE),
            ZeroPattern::BigEndian => utf_16(bytes, UTF_16BE),
            ZeroPattern::None => Err(ReadError::Binary),
        };
    }
    if too_many_controls(probe.iter().map(|byte| u32::from(*byte)), probe.len()) {
        return Err(ReadError::Binary);
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text.to_owned()),
        Err(_) if mostly_utf_8(bytes) => Ok(String::from_utf8_lossy(bytes).into_owned()),
        Err(_) => Ok(WINDOWS_1252.decode_without_bom_handling(bytes).0.into_owned()),
    }
}

fn utf_16(bytes: &[u8], encoding: &'static Encoding) -> Result<String, ReadError> {
    let text = encoding.decode_without_bom_handling(bytes).0.into_owned();
    let n_probe = text.chars().take(PROBE_BYTES).count();
    let bad = text
        .chars()
        .take(PROBE_BYTES)
        .filter(|c| matches!(c, '\0' | '\u{fffd}'))
        .count();
    if bad * 50 > n_probe || too_many_controls(text.chars().take(PROBE_BYTES).map(u32::from), n_probe) {
        return Err(ReadError::Binary);
    }
    Ok(text)
}

enum ZeroPattern {
    LittleEndian,
    BigEndian,
    None,
}

/// UTF-16 of mostly Latin letters has zero bytes on only one side of the pairs.
fn zero_pattern(probe: &[u8]) -> ZeroPattern {
    let n_pairs = probe.len() / 2;
    let even = probe.iter().step_by(2).filter(|byte| **byte == 0).count();
    let odd = probe.iter().skip(1).step_by(2).filter(|byte| **byte == 0).count();
    let (many, few) = (n_pairs * 4 / 10, n_pairs / 50);
    if n_pairs >= 2 && odd > many && even <= few {
        ZeroPattern::LittleEndian
    } else if n_pairs >= 2 && even > many && odd <= few {
        ZeroPattern::BigEndian
    } else {
        ZeroPattern::None
    }
}

/// Text has very few control characters besides white space, form feeds and terminal escapes.
fn too_many_controls(codes: impl Iterator<Item = u32>, n_codes: usize) -> bool {
    let n_controls = codes
        .filter(|code| matches!(code, 0..=0x08 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f | 0x7f))
        .count();
    n_controls * 50 > n_codes
}

/// UTF-8 text with a few invalid bytes is still UTF-8.
fn mostly_utf_8(bytes: &[u8]) -> bool {
    let (mut n_good, mut n_bad) = (0usize, 0usize);
    for chunk in bytes.utf8_chunks() {
        n_good += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        n_bad += usize::from(!chunk.invalid().is_empty());
    }
    n_good >= n_bad * 4
}

/// Makes every line end `\n`. In a text with such line ends, a carriage return within a line is left: a terminal writes what
/// follows over what is before it.
fn plain_line_ends(text: &str) -> String {
    let mut text = text.replace("\r\n", "\n");
    if !text.contains('\n') {
        return text.replace('\r', "\n");
    }
    while text.contains("\r\n") {
        text = text.replace("\r\n", "\n");
    }
    text
}

fn clean(text: String) -> String {
    let text = match text.contains('\r') {
        true => plain_line_ends(&text),
        false => text,
    };
    without_harmless(text)
}
