//! Makes texts comparable: decoding, white space, invisible characters, case, digits.

/// Decodes a document: UTF-16 by its byte order mark, otherwise UTF-8, otherwise Latin-1.
pub(crate) fn decode(bytes: &[u8]) -> String {
    match bytes {
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        _ => match std::str::from_utf8(bytes) {
            Ok(text) => text.strip_prefix('\u{feff}').unwrap_or(text).to_owned(),
            Err(_) => bytes.iter().map(|byte| char::from(*byte)).collect(),
        },
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let pairs = bytes.chunks_exact(2);
    let is_cut = !pairs.remainder().is_empty();
    let units = pairs.map(|pair| unit([pair[0], pair[1]]));
    let mut text: String = char::decode_utf16(units)
        .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect();
    if is_cut {
        text.push(char::REPLACEMENT_CHARACTER);
    }
    text
}

/// Collapses every run of white space to one space and trims.
pub(crate) fn collapse(text: &str) -> String {
    let words: Vec<&str> = text.split(is_space).filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

/// White space as the corpus's own scorer defines it: Unicode's, and the four information separators.
fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

/// Drops zero-width, bidi and tag characters and soft hyphens.
pub(crate) fn without_invisible(text: &str) -> String {
    text.chars().filter(|c| !is_invisible(*c)).collect()
}

fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}'
        | '\u{2066}'..='\u{2069}' | '\u{feff}' | '\u{ad}' | '\u{e0000}'..='\u{e007f}')
}

/// Folds case so that two texts that differ only in it are equal.
pub(crate) fn fold_case(text: &str) -> String {
    text.chars()
        .flat_map(|c| {
            let folded: Vec<char> = match c {
                'ı' => vec![c],
                _ => c
                    .to_lowercase()
                    .flat_map(char::to_uppercase)
                    .flat_map(char::to_lowercase)
                    .collect(),
            };
            folded
        })
        .collect()
}

/// Whether the answer contains all terms. A number must stand alone: `19` is not in `1.19` or `190`.
pub(crate) fn has_terms(answer: &str, terms: &[String]) -> bool {
    let answer = fold_case(&collapse(answer));
    terms.iter().all(|term| {
        let term = fold_case(&collapse(term));
        if !term.is_empty() && term.chars().all(|c| is_digit(c) || is_point(c)) {
            has_number(&answer, &term)
        } else {
            answer.contains(&term)
        }
    })
}

fn has_number(text: &str, number: &str) -> bool {
    text.char_indices()
        .map(|(start, _)| start)
        .filter(|start| text[*start..].starts_with(number))
        .any(|start| {
            let before = text[..start].chars().next_back();
            let mut after = text[start + number.len()..].chars();
            let (first, second) = (after.next(), after.next());
            let goes_on =
                first.is_some_and(is_digit) || first.is_some_and(is_point) && second.is_some_and(is_digit);
            !before.is_some_and(|c| is_digit(c) || is_point(c)) && !goes_on
        })
}

fn is_point(c: char) -> bool {
    c == '.' || c == ','
}

/// A decimal digit of any script. Each run of ten begins at one of these zeros.
fn is_digit(c: char) -> bool {
    let code = u32::from(c);
    c.is_ascii_digit() || ZEROS.iter().any(|zero| (*zero..zero + 10).contains(&code))
}

const ZEROS: &[u32] = &[
    0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xde6, 0xe50, 0xed0,
    0xf20, 0x1040, 0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90, 0x1b50, 0x1bb0, 0x1c40, 0x1c50,
    0xa620, 0xa8d0, 0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0, 0xff10, 0x104a0, 0x10d30, 0x11066, 0x110f0,
    0x11136, 0x111d0, 0x112f0, 0x11450, 0x114d0, 0x11650, 0x116c0, 0x11730, 0x118e0, 0x11950, 0x11c50,
    0x11d50, 0x11da0, 0x16a60, 0x16ac0, 0x16b50, 0x1d7ce, 0x1d7d8, 0x1d7e2, 0x1d7ec, 0x1d7f6, 0x1e140,
    0x1e2f0, 0x1e950, 0x1fbf0,
];
