//! Character references of HTML: `&amp;`, `&#8211;`, `&#x2013;`.
//!
//! Names are those of HTML 4; a rarer one stays as it is written, which can only make a citation
//! count as fabricated, never as verified.

/// Name and code point per line.
const ENTITIES: &str = include_str!("entities.txt");

/// The characters that codes 80 to 9f stand for on the web.
const WINDOWS: &str = "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8d}Ž\u{8f}\u{90}‘’“”•–—˜™š›œ\u{9d}žŸ";

/// Replaces every reference by its character.
pub(crate) fn unescape(text: &str) -> String {
    let mut parts = text.split('&');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match reference(part) {
            Some((replacement, rest)) => {
                out.extend(replacement);
                out.push_str(rest);
            }
            None => {
                out.push('&');
                out.push_str(part);
            }
        }
    }
    out
}

/// The character a reference stands for (none for one that is dropped) and what follows it.
fn reference(part: &str) -> Option<(Option<char>, &str)> {
    if let Some(number) = part.strip_prefix('#') {
        let (digits, radix) = match number.strip_prefix(['x', 'X']) {
            Some(digits) => (digits, 16),
            None => (number, 10),
        };
        let end = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
        let (digits, rest) = digits.split_at(end);
        if digits.is_empty() {
            return None;
        }
        let code = u32::from_str_radix(digits, radix).unwrap_or(u32::MAX);
        return Some((numbered(code), rest.strip_prefix(';').unwrap_or(rest)));
    }
    named(part).map(|(c, rest)| (Some(c), rest))
}

fn numbered(code: u32) -> Option<char> {
    match code {
        0 => Some(char::REPLACEMENT_CHARACTER),
        0x80..=0x9f => WINDOWS.chars().nth(code as usize - 0x80),
        0x1..=0x8 | 0xb | 0xe..=0x1f | 0x7f | 0xfdd0..=0xfdef => None,
        _ if code & 0xfffe == 0xfffe && code <= 0x10_ffff => None,
        _ => Some(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)),
    }
}

/// A whole name with its `;`, else the longest old name that needs none.
fn named(part: &str) -> Option<(char, &str)> {
    let entities = || ENTITIES.lines().filter_map(|line| line.split_once(' '));
    let character = |code: &str| u32::from_str_radix(code, 16).ok().and_then(char::from_u32);
    let whole = part.split_once(';').and_then(|(name, rest)| {
        let (_, code) = entities().find(|(known, _)| *known == name)?;
        Some((character(code)?, rest))
    });
    whole.or_else(|| {
        let (name, code) = entities()
            .filter(|(known, code)| part.starts_with(known) && code.len() <= 2)
            .max_by_key(|(known, _)| known.len())?;
        Some((character(code)?, &part[name.len()..]))
    })
}
