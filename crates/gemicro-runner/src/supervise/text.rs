//! Decodes bytes as text, in chunks, replacing invalid UTF-8 and removing terminal escapes.

use std::borrow::Cow;

/// Decodes a stream in chunks; invalid UTF-8 is replaced.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    /// The start of an incomplete character; at most 3 bytes.
    begun: Vec<u8>,
}

impl Decoder {
    /// Returns the text of the next chunk.
    pub(super) fn push<'b>(&mut self, bytes: &'b [u8]) -> Cow<'b, str> {
        if self.begun.is_empty()
            && let Ok(text) = std::str::from_utf8(bytes)
        {
            return Cow::Borrowed(text);
        }
        self.begun.extend_from_slice(bytes);
        let joined = std::mem::take(&mut self.begun);
        let mut text = String::with_capacity(joined.len());
        let mut rest = joined.as_slice();
        while let Err(error) = std::str::from_utf8(rest) {
            let (valid, after) = rest.split_at(error.valid_up_to());
            text.push_str(&String::from_utf8_lossy(valid));
            let Some(n_wrong) = error.error_len() else {
                self.begun = after.to_vec();
                return Cow::Owned(text);
            };
            text.push(char::REPLACEMENT_CHARACTER);
            rest = after.get(n_wrong..).unwrap_or_default();
        }
        text.push_str(&String::from_utf8_lossy(rest));
        Cow::Owned(text)
    }

    /// Returns the rest at the end of the stream.
    pub(super) fn finish(self) -> Cow<'static, str> {
        if self.begun.is_empty() {
            return Cow::Borrowed("");
        }
        Cow::Owned(char::REPLACEMENT_CHARACTER.to_string())
    }
}

/// Removes terminal escapes and control characters, except tabs.
pub(super) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\u{1b}' => match letters.next() {
                Some('[') => skip_control_sequence(&mut letters),
                // Titles, links, and other strings up to their terminator.
                Some(']' | 'P' | 'X' | '^' | '_') => skip_string(&mut letters),
                // One more character: a choice of character set.
                Some('(' | ')' | '*' | '+' | '#' | '%' | ' ') => {
                    letters.next();
                }
                Some(_) | None => {}
            },
            '\u{9b}' => skip_control_sequence(&mut letters),
            '\t' => out.push(letter),
            letter if letter.is_control() => {}
            letter => out.push(letter),
        }
    }
    out
}

fn skip_control_sequence(letters: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    while let Some(letter) = letters.next_if(|letter| ('\u{20}'..='\u{7e}').contains(letter)) {
        if ('\u{40}'..='\u{7e}').contains(&letter) {
            return;
        }
    }
}

fn skip_string(letters: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    while let Some(letter) = letters.next() {
        match letter {
            '\u{7}' | '\u{9c}' => return,
            '\u{1b}' => {
                letters.next_if_eq(&'\\');
                return;
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Decoder, plain};

    #[test]
    fn pieces_make_the_same_text_wherever_they_are_cut() {
        let bytes = "aä\u{1f600}€z".as_bytes();
        let dirty = [bytes, b"\xff\xc3", bytes, b"\xf0\x9f"].concat();
        let expected = String::from_utf8_lossy(&dirty).into_owned();
        for cut in 0..dirty.len() {
            for next in cut..dirty.len() {
                let mut decoder = Decoder::default();
                let mut text = String::new();
                for piece in [&dirty[..cut], &dirty[cut..next], &dirty[next..]] {
                    text.push_str(&decoder.push(piece));
                }
                text.push_str(&decoder.finish());
                assert_eq!(text, expected, "{cut} {next}");
            }
        }
    }

    #[test]
    fn escapes_are_taken_out() {
        for (given, expected) in [
            ("\u{1b}[31mred\u{1b}[0m", "red"),
            ("\u{1b}]0;title\u{7}after", "after"),
            ("\u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{1b}\\", "link"),
            ("a\rb\u{8}\tc\u{0}", "ab\tc"),
            ("\u{9b}2Jx\u{1b}(By\u{1b}", "xy"),
            ("\u{1b}[3", ""),
        ] {
            assert_eq!(plain(given), expected, "{given:?}");
        }
    }
}
