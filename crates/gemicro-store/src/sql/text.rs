//! Texts in PostgreSQL, which cannot hold the character NUL.
//!
//! `MARK` stands before what was changed: `0` for NUL, `1` for the mark itself. Every text gets through and comes
//! back as it was, and equal texts stay equal.

/// A noncharacter: next to no text has it.
const MARK: char = '\u{FDD0}';

/// The text as PostgreSQL holds it.
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

/// The text as it was.
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
