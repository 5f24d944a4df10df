//! Encodes text for PostgreSQL, which cannot store the character NUL.
//!
//! `MARK` is an escape character: `MARK 0` stands for NUL, `MARK 1` for the mark itself. Every text is restored
//! exactly, and equal texts stay equal.

/// A noncharacter, which texts hardly ever contain.
const MARK: char = '\u{FDD0}';

pub(super) fn pack(text: String) -> String {
    if !text.contains(['\0', MARK]) {
        return text;
    }
    let mut packed = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '\0' => packed.extend([MARK, '0']),
            MARK => packed.extend([MARK, '1']),
            c => packed.push(c),
        }
    }
    packed
}

pub(super) fn unpack(packed: String) -> String {
    if !packed.contains(MARK) {
        return packed;
    }
    let mut text = String::with_capacity(packed.len());
    let mut chars = packed.chars();
    while let Some(c) = chars.next() {
        match c {
            MARK => text.push(if chars.next() == Some('0') { '\0' } else { MARK }),
            c => text.push(c),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{MARK, pack, unpack};

    #[test]
    fn every_text_comes_back() {
        for text in ["", "plain é", "\0", "a\0\0b", "\u{FDD0}", "\u{FDD0}0\0\u{FDD0}1"] {
            let packed = pack(text.to_owned());
            assert!(!packed.contains('\0'), "{text:?}");
            assert_eq!(unpack(packed), text);
        }
        assert_eq!(pack("\0".to_owned()), format!("{MARK}0"));
    }
}
