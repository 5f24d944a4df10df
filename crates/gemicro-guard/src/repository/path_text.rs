//! Paths of a tree as text.

/// A path as text, so that different paths stay different: each byte that is not valid text is written out after a
/// replacement character, and so is a replacement character in the name itself.
pub(super) fn path_text(path: &[u8]) -> String {
    let unreadable = char::REPLACEMENT_CHARACTER;
    let mut text = String::with_capacity(path.len());
    let write_out = |text: &mut String, bytes: &[u8]| {
        for byte in bytes {
            text.push_str(&format!("{unreadable}{byte:02x}"));
        }
    };
    for chunk in path.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c == unreadable {
                true => write_out(&mut text, c.encode_utf8(&mut [0; 4]).as_bytes()),
                false => text.push(c),
            }
        }
        write_out(&mut text, chunk.invalid());
    }
    text
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::path_text;

    #[test]
    fn different_paths_stay_different() {
        let paths: [&[u8]; 7] = [
            b"a",
            b"a\xff",
            b"a\xfe",
            b"a\xc3",
            "a\u{fffd}".as_bytes(),
            "a\u{fffd}ff".as_bytes(),
            "a\u{fffd}efbfbd".as_bytes(),
        ];
        let texts: BTreeSet<String> = paths.iter().map(|path| path_text(path)).collect();
        assert_eq!(texts.len(), paths.len(), "{texts:?}");
        assert_eq!(path_text("docs/grüße.md".as_bytes()), "docs/grüße.md");
    }
}
