//! Places where a text may be cut without breaking a sentence or a line: [`Ends`].
//!
//! Only for cutting long blocks; which sentence answers a question is decided elsewhere. In doubt a place
//! is no sentence end, because a passage that is a little too long does no harm.

/// Short words before a full stop that do not end a sentence, in lower case.
const ABBREVIATIONS: [&str; 30] = [
    "mr", "mrs", "ms", "dr", "prof", "st", "no", "nos", "vs", "etc", "fig", "figs", "sec", "vol", "pp", "ed",
    "eds", "inc", "ltd", "co", "corp", "jr", "sr", "approx", "bzw", "ca", "nr", "str", "usw", "art",
];

/// Offsets of cutting places in ascending order; the last one is the end of the text.
pub(super) struct Ends<'a> {
    text: &'a str,
    at: usize,
    is_end: fn(&str, usize, char) -> bool,
}

impl<'a> Ends<'a> {
    /// After each sentence.
    pub(super) fn of_sentences(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            is_end: ends_sentence,
        }
    }

    /// After each line.
    pub(super) fn of_lines(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            is_end: |_, _, c| c == '\n',
        }
    }
}

impl Iterator for Ends<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        if self.at >= self.text.len() {
            return None;
        }
        for (offset, c) in self.text[self.at..].char_indices() {
            let after = self.at + offset + c.len_utf8();
            if (self.is_end)(self.text, after, c) {
                self.at = after;
                return Some(after);
            }
        }
        self.at = self.text.len();
        Some(self.at)
    }
}

/// Whether a sentence ends after the character `c` that ends at `after`.
fn ends_sentence(text: &str, after: usize, c: char) -> bool {
    let rest = &text[after..];
    match c {
        '。' | '！' | '？' | '｡' => !rest.starts_with(is_closing),
        '\n' => rest.starts_with('\n'),
        '.' | '!' | '?' | '؟' | '۔' | '…' | '।' => {
            ends_before(rest) && (c != '.' || full_stop(text, after))
        }
        c if is_closing(c) => {
            let before = text[..after - c.len_utf8()].chars().next_back();
            match before {
                Some('。' | '！' | '？') => !rest.starts_with(is_closing),
                Some('.' | '!' | '?') => ends_before(rest),
                _ => false,
            }
        }
        _ => false,
    }
}

/// What follows a sentence end: white space, then no small letter.
fn ends_before(rest: &str) -> bool {
    rest.starts_with(char::is_whitespace)
        && rest
            .trim_start()
            .chars()
            .next()
            .is_none_or(|next| !next.is_lowercase())
}

/// Whether the full stop that ends at `after` is more than the mark of an abbreviation.
fn full_stop(text: &str, after: usize) -> bool {
    let before = &text[..after - 1];
    let word_start = before
        .rfind(|c: char| c.is_whitespace() || "([\"'".contains(c))
        .map_or(0, |at| at + 1);
    let Some(word) = before.get(word_start..) else {
        return true;
    };
    let is_initial = word.chars().count() == 1 && word.chars().all(char::is_alphabetic);
    let is_dotted = word.contains('.') && word.chars().all(|c| c == '.' || c.is_alphabetic());
    // `4. Mai`: a day or a number in a list; `in 2031. Then` has more digits.
    let is_ordinal = word.len() <= 2 && !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    !is_initial && !is_dotted && !is_ordinal && !ABBREVIATIONS.contains(&word.to_lowercase().as_str())
}

fn is_closing(c: char) -> bool {
    matches!(c, '"' | '\'' | ')' | ']' | '”' | '’' | '»' | '」' | '』' | '）')
}
