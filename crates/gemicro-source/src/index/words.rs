//! Splits text into the words that are indexed: [`Words`].
//!
//! A name, number or version is one word: `fennel-relay`, `DD-174`, `4.1`, `5,60`. Scripts written without spaces (and
//! Korean, whose particles are attached to words) give one word per character, so that a phrase finds a name inside a
//! sentence.

use std::ops::Range;

/// One word of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct WordSpan {
    /// Its byte range in the text.
    pub(super) range: Range<usize>,
    /// Whether it is a single character of a script without spaces.
    pub(super) unspaced: bool,
}

/// The words of a text in order.
pub(super) struct Words<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Words<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// The end of the word that begins with `first` at `start`.
    fn word_end(&self, first: char, start: usize) -> usize {
        let mut previous = first;
        let mut end = start + first.len_utf8();
        let mut chars = self.text[end..].chars();
        while let Some(c) = chars.next() {
            let next = chars.clone().next();
            if is_spaced_word_char(c) || next.is_some_and(|next| joins(previous, c, next)) {
                end += c.len_utf8();
                previous = c;
            } else {
                // `C++` and `C#` are names.
                let rest = &self.text[end..];
                let sign = ["++", "#"].into_iter().find(|sign| rest.starts_with(sign));
                let after = |sign: &str| rest[sign.len()..].chars().next();
                if let Some(sign) = sign.filter(|sign| !after(sign).is_some_and(is_word_char)) {
                    end += sign.len();
                }
                break;
            }
        }
        end
    }
}

impl Iterator for Words<'_> {
    type Item = WordSpan;

    fn next(&mut self) -> Option<WordSpan> {
        let rest = self.text.get(self.at..)?;
        let (offset, first) = rest.char_indices().find(|(_, c)| is_word_char(*c))?;
        let start = self.at + offset;
        if is_unspaced(first) {
            self.at = start + first.len_utf8();
            return Some(WordSpan {
                range: start..self.at,
                unspaced: true,
            });
        }
        let end = self.word_end(first, start);
        self.at = end;
        // `Light's` is the word `Light`.
        let word = &self.text[start..end];
        let possessive = ["'s", "’s", "'S", "’S"]
            .into_iter()
            .find(|ending| word.ends_with(ending));
        let end = end - possessive.map_or(0, str::len);
        Some(WordSpan {
            range: start..end,
            unspaced: false,
        })
    }
}

/// The words of a text in the form that is compared for phrases.
pub(super) fn exact_keys(text: &str) -> Vec<String> {
    let normal = |word: WordSpan| {
        let mut key = String::new();
        push_normal(&text[word.range], &mut key);
        key
    };
    Words::new(text).map(normal).collect()
}

/// Appends a word in the form that is compared: lower case, one kind of hyphen and apostrophe, no full-width letters.
pub(super) fn push_normal(word: &str, normal: &mut String) {
    for c in word.chars() {
        match c {
            '\u{2010}' | '\u{2011}' => normal.push('-'),
            '’' => normal.push('\''),
            '\u{ff01}'..='\u{ff5e}' => {
                let narrow = char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c);
                normal.push(narrow.to_ascii_lowercase());
            }
            c if c.is_ascii() => normal.push(c.to_ascii_lowercase()),
            c => normal.extend(c.to_lowercase()),
        }
    }
}

/// Whether a character between two others keeps them in one word.
fn joins(previous: char, sign: char, next: char) -> bool {
    if !is_spaced_word_char(previous) || !is_spaced_word_char(next) {
        return false;
    }
    let digits = (previous.is_numeric(), next.is_numeric());
    match sign {
        '-' | '\u{2010}' | '\u{2011}' => true,
        '\'' | '’' => !digits.0 && !digits.1,
        '.' => digits.0 || digits.1,
        ',' | ':' | '/' => digits.0 && digits.1,
        _ => false,
    }
}

fn is_word_char(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric() || c == '_';
    }
    c.is_alphanumeric() || is_combining(c)
}

fn is_spaced_word_char(c: char) -> bool {
    is_word_char(c) && !is_unspaced(c)
}

/// Combining marks, which belong to the letter before them.
fn is_combining(c: char) -> bool {
    matches!(c,
        '\u{300}'..='\u{36f}' | '\u{483}'..='\u{489}' | '\u{591}'..='\u{5c7}' | '\u{610}'..='\u{61a}'
        | '\u{64b}'..='\u{65f}' | '\u{670}' | '\u{6d6}'..='\u{6ed}' | '\u{900}'..='\u{903}'
        | '\u{93a}'..='\u{94f}' | '\u{981}'..='\u{983}' | '\u{9bc}'..='\u{9cd}' | '\u{b82}'
        | '\u{bbe}'..='\u{bcd}' | '\u{1ab0}'..='\u{1aff}' | '\u{20d0}'..='\u{20ff}')
}

/// Scripts without spaces between words: Han, Kana, Hangul, Thai, Lao, Burmese, Khmer.
fn is_unspaced(c: char) -> bool {
    c >= '\u{e00}'
        && matches!(c,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1100}'..='\u{11ff}' | '\u{1780}'..='\u{17ff}'
        | '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{30ff}' | '\u{3100}'..='\u{318f}'
        | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{a960}'..='\u{a97f}' | '\u{ac00}'..='\u{d7ff}' | '\u{f900}'..='\u{faff}'
        | '\u{ff66}'..='\u{ff9f}' | '\u{20000}'..='\u{3ffff}')
}
