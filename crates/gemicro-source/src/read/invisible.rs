//! Characters that no reader sees: [`is_invisible`].
//!
//! Zero-width, bidi control, tag and soft hyphen characters and the byte order mark. They are removed from
//! every stored text, because they hide words from a search and instructions from a reader.

/// Whether a character takes no part in what a reader sees.
pub(crate) fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}'
        | '\u{2066}'..='\u{2069}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}
