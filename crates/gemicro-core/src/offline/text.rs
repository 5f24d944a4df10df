//! Words of a text with their places, and how alike two words are.
//!
//! The main type is [`Word`]. Names are never stemmed (see `subject`); only ordinary words are compared
//! loosely, by [`likeness`]. Nothing here knows a language beyond its script and the commonest endings.

use std::ops::Range;

/// One word, number or sign of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Word {
    /// Byte range in the text it was cut from.
    pub(crate) range: Range<usize>,
    /// Lower-case form, with the possessive ending removed.
    pub(crate) lower: String,
    /// Its first letter is a capital.
    pub(crate) capital: bool,
    /// It holds a digit.
    pub(crate) digit: bool,
    /// It is a run of Chinese or Japanese characters.
    pub(crate) cjk: bool,
}

/// Cuts a text into words; white space, marks of emphasis and punctuation separate them.
pub(crate) fn words(text: &str) -> Vec<Word> {
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    let mut words = Vec::new();
    let mut char_idx = 0;
    while char_idx < chars.len() {
        let (start, first) = chars[char_idx];
        let mut end_idx = char_idx + 1;
        if is_cjk(first) {
            while end_idx < chars.len() && is_cjk(chars[end_idx].1) {
                end_idx += 1;
            }
        } else if first.is_alphanumeric() {
            while end_idx < chars.len() && continues_word(&chars, end_idx) {
                end_idx += 1;
            }
        } else if !is_value_sign(first) {
            char_idx += 1;
            continue;
        }
        let end = chars.get(end_idx).map_or(text.len(), |(offset, _)| *offset);
        words.push(word(&text[start..end], start));
        char_idx = end_idx;
    }
    words
}

fn word(slice: &str, start: usize) -> Word {
    let mut lower = slice.to_lowercase();
    for possessive in ["'s", "’s"] {
        if let Some(base) = lower.strip_suffix(possessive) {
            lower.truncate(base.len());
        }
    }
    Word {
        range: start..start + slice.len(),
        lower,
        capital: slice.chars().next().is_some_and(char::is_uppercase),
        digit: slice.chars().any(|c| c.is_ascii_digit()),
        cjk: slice.chars().next().is_some_and(is_cjk),
    }
}

fn continues_word(chars: &[(usize, char)], idx: usize) -> bool {
    let current = chars[idx].1;
    if current.is_alphanumeric() || is_mark(current) {
        return !is_cjk(current);
    }
    let previous = chars[idx - 1].1;
    let Some(next) = chars.get(idx + 1).map(|(_, c)| *c) else {
        return false;
    };
    match current {
        '-' | '_' | '\'' | '’' | '\u{2011}' => {
            previous.is_alphanumeric() && next.is_alphanumeric() && !is_cjk(next)
        }
        '.' | ',' | ':' => previous.is_ascii_digit() && next.is_ascii_digit(),
        '/' => previous.is_alphanumeric() && next.is_ascii_digit() && previous.is_ascii_digit(),
        _ => false,
    }
}

fn is_value_sign(c: char) -> bool {
    matches!(c, '%' | '‰' | '°' | '$' | '€' | '£' | '¥' | '₩' | '٪' | '％')
}

/// A combining vowel mark (Arabic, Hebrew, Latin accents) belongs to the letter before it.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{64b}'..='\u{65f}' | '\u{670}' | '\u{5b0}'..='\u{5c7}')
}

/// Chinese and Japanese characters, which are written without spaces.
pub(crate) fn is_cjk(c: char) -> bool {
    is_han(c) || matches!(c, '\u{3041}'..='\u{3096}' | '\u{30a1}'..='\u{30fa}' | '\u{30fc}')
}

/// Chinese characters, in any of the languages that use them.
pub(crate) fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '々' | '〇')
}

pub(crate) fn is_hangul(c: char) -> bool {
    matches!(c, '\u{ac00}'..='\u{d7a3}' | '\u{1100}'..='\u{11ff}')
}

pub(crate) fn is_arabic(c: char) -> bool {
    matches!(c, '\u{620}'..='\u{64a}' | '\u{671}'..='\u{6d3}')
}

/// The script has no capital letters, so a name cannot be told by them.
pub(crate) fn is_uncased(text: &str) -> bool {
    let n_uncased = text
        .chars()
        .filter(|c| is_cjk(*c) || is_hangul(*c) || is_arabic(*c))
        .count();
    let n_cased = text
        .chars()
        .filter(|c| c.is_lowercase() || c.is_uppercase())
        .count();
    n_uncased > n_cased
}

/// How alike two lower-case words are: 1 for the same word, less for forms of one word, 0 for strangers.
pub(crate) fn likeness(left: &str, right: &str) -> f32 {
    if left == right {
        return 1.0;
    }
    let first = left.chars().next().unwrap_or(' ');
    if is_arabic(first) {
        return likeness_of_bases(&arabic_base(left), &arabic_base(right), 3);
    }
    if is_hangul(first) {
        return likeness_of_bases(left, right, 2);
    }
    if left.chars().any(|c| c.is_ascii_digit()) || right.chars().any(|c| c.is_ascii_digit()) {
        return 0.0;
    }
    let (left_stem, right_stem) = (stem(left), stem(right));
    if left_stem == right_stem {
        return 0.95;
    }
    if let Some(base) = superlative_base(left).or_else(|| superlative_base(right)) {
        let is_form = |word: &str| {
            superlative_base(word)
                .or_else(|| comparative_base(word))
                .unwrap_or_else(|| stem(word))
                == base
        };
        return if is_form(left) && is_form(right) { 0.9 } else { 0.0 };
    }
    let shared = shared_prefix(left, right);
    let shorter = left_stem.chars().count().min(right_stem.chars().count());
    let longer = left.chars().count().max(right.chars().count());
    if shared >= 5 && shared >= shorter && longer - shared <= 5 {
        0.8
    } else {
        0.0
    }
}

fn likeness_of_bases(left: &str, right: &str, least: usize) -> f32 {
    if left == right {
        return 0.95;
    }
    let shared = shared_prefix(left, right);
    let shorter = left.chars().count().min(right.chars().count());
    let longer = left.chars().count().max(right.chars().count());
    if shared >= least && shared + 1 >= shorter && longer - shared <= 3 {
        0.85
    } else {
        0.0
    }
}

fn shared_prefix(left: &str, right: &str) -> usize {
    left.chars()
        .zip(right.chars())
        .take_while(|(a, b)| a == b)
        .count()
}

/// Takes the joined particles off an Arabic word: "and", "for", "with", "as", "so", the article.
pub(crate) fn arabic_base(word: &str) -> String {
    let mut base = word;
    for prefix in ["و", "ف", "ل", "ب", "ك"] {
        if let Some(rest) = base.strip_prefix(prefix)
            && rest.chars().count() >= 3
        {
            base = rest;
            break;
        }
    }
    for prefix in ["ال", "ل"] {
        if let Some(rest) = base.strip_prefix(prefix)
            && rest.chars().count() >= 3
        {
            base = rest;
            break;
        }
    }
    let trimmed = base.trim_end_matches(['ا', 'ة', 'ه']);
    if trimmed.chars().count() >= 3 {
        trimmed.to_owned()
    } else {
        base.to_owned()
    }
}

/// Cuts the commonest English endings of a lower-case word; good enough to join forms, never shown to anybody.
#[must_use]
pub fn stem(word: &str) -> String {
    let mut base = word.to_owned();
    if !base.is_ascii() || base.len() < 4 {
        return base;
    }
    if base.ends_with("ies") && base.len() > 4 {
        base.truncate(base.len() - 3);
        base.push('y');
    } else if base.ends_with("sses")
        || base.ends_with("xes")
        || base.ends_with("ches")
        || base.ends_with("shes")
    {
        base.truncate(base.len() - 2);
    } else if base.ends_with('s') && !base.ends_with("ss") && !base.ends_with("us") && !base.ends_with("is") {
        base.truncate(base.len() - 1);
    }
    for ending in ["ness", "ly"] {
        if let Some(rest) = base.strip_suffix(ending).filter(|rest| rest.len() >= 4) {
            base.truncate(rest.len());
        }
    }
    for ending in ["ing", "ed"] {
        let Some(rest) = base.strip_suffix(ending) else {
            continue;
        };
        if rest.len() >= 3 && rest.contains(['a', 'e', 'i', 'o', 'u', 'y']) {
            base.truncate(rest.len());
            undouble(&mut base);
            break;
        }
    }
    if base.ends_with('e') && base.len() > 3 {
        base.truncate(base.len() - 1);
    }
    if base.ends_with('y') && base.len() > 3 {
        base.truncate(base.len() - 1);
        base.push('i');
    }
    base
}

/// "oldest", "rarest", "heaviest" without their ending, in the form of [`stem`].
pub(crate) fn superlative_base(word: &str) -> Option<String> {
    degree_base(word, "iest", "est").filter(|_| {
        !matches!(
            word,
            "forest"
                | "harvest"
                | "request"
                | "interest"
                | "guest"
                | "honest"
                | "modest"
                | "test"
                | "rest"
                | "west"
                | "best"
                | "latest"
        )
    })
}

fn comparative_base(word: &str) -> Option<String> {
    degree_base(word, "ier", "er")
}

fn degree_base(word: &str, with_y: &str, plain: &str) -> Option<String> {
    if let Some(base) = word.strip_suffix(with_y).filter(|base| base.len() >= 2) {
        return Some(stem(&format!("{base}y")));
    }
    let mut base = word
        .strip_suffix(plain)
        .filter(|base| base.len() >= 3)?
        .to_owned();
    undouble(&mut base);
    if base.ends_with('e') {
        base.pop();
    }
    Some(base)
}

fn undouble(base: &mut String) {
    let bytes = base.as_bytes();
    let n_bytes = bytes.len();
    if n_bytes > 3
        && bytes[n_bytes - 1] == bytes[n_bytes - 2]
        && !matches!(bytes[n_bytes - 1], b'l' | b's' | b'z')
    {
        base.truncate(n_bytes - 1);
    }
}
