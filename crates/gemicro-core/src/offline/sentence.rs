//! Cuts a passage into sentences and keeps their places.
//!
//! The one function is [`sentences`]. It knows abbreviations, decimals, versions, Chinese and Japanese
//! full stops and wrapped lines. It never changes a byte: a sentence is a range of the passage.

use std::ops::Range;

use crate::corpus::BlockKind;

/// Short forms after which a full stop ends no sentence.
const ABBREVIATIONS: &[&str] = &[
    "mr", "mrs", "ms", "dr", "prof", "st", "sr", "jr", "capt", "col", "gen", "lt", "sgt", "rev", "hon", "vs",
    "etc", "e.g", "i.e", "eg", "ie", "cf", "ca", "approx", "no", "nos", "nr", "fig", "figs", "p", "pp",
    "vol", "ch", "sec", "art", "inc", "ltd", "co", "corp", "dept", "est", "min", "max", "al", "ed", "eds",
    "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec", "z.b", "d.h", "u.a",
    "bzw", "ggf", "inkl", "usw", "vgl", "str", "hr", "fr", "tel", "a.m", "p.m", "u.s", "u.k", "mt", "ft",
    "av", "bd", "gb", "abs",
];

/// Those of them behind which a capital begins no sentence either: titles, and what an example follows.
const NEED_MORE: &[&str] = &[
    "e.g", "i.e", "z.b", "d.h", "mr", "mrs", "ms", "dr", "prof", "st", "capt", "col", "gen", "lt", "sgt",
    "rev", "hon", "hr", "fr", "mt",
];

/// Sentences of a passage as byte ranges, trimmed; empty ones are left out.
#[must_use]
pub fn sentences(text: &str, kind: BlockKind) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut start = 0;
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    for (char_idx, (offset, c)) in chars.iter().enumerate() {
        let end = offset + c.len_utf8();
        let ends_here = match c {
            '.' => full_stop_ends(text, &chars, char_idx),
            '!' | '?' | '؟' => mark_ends(&chars, char_idx),
            '。' | '！' | '？' | '｡' => !closes_next(&chars, char_idx),
            '\n' => line_ends(text, end, kind),
            _ => closes_after_stop(&chars, char_idx),
        };
        if ends_here {
            push_trimmed(text, start..end, kind, &mut ranges);
            start = end;
        }
    }
    push_trimmed(text, start..text.len(), kind, &mut ranges);
    ranges
}

fn full_stop_ends(text: &str, chars: &[(usize, char)], char_idx: usize) -> bool {
    let Some((_, next)) = chars.get(char_idx + 1) else {
        return true;
    };
    if !next.is_whitespace() {
        return false;
    }
    let before = &text[..chars[char_idx].0];
    let token_start = before
        .rfind(|c: char| c.is_whitespace() || c == '(')
        .map_or(0, |at| at + 1);
    let token = before[token_start..]
        .trim_start_matches(['*', '_', '"', '\'', '[', '“'])
        .to_lowercase();
    let after = chars[char_idx + 1..]
        .iter()
        .map(|(_, c)| *c)
        .find(|c| !c.is_whitespace());
    let Some(after) = after else { return true };
    if ABBREVIATIONS.contains(&token.as_str())
        && (after.is_lowercase() || after.is_ascii_digit() || NEED_MORE.contains(&token.as_str()))
    {
        return false;
    }
    let is_initial = token.chars().count() == 1 && token.chars().all(char::is_alphabetic) && token != "i";
    if is_initial && after.is_alphabetic() {
        return false;
    }
    // "am 3. Mai", "the 2. floor": a number with a full stop is an ordinal before a small letter, and
    // before a capital in a language that writes dates so; a number of four digits is a year or a value.
    let is_ordinal = !token.is_empty() && token.len() <= 2 && token.chars().all(|c| c.is_ascii_digit());
    if is_ordinal && (after.is_lowercase() || starts_month(text, chars, char_idx)) {
        return false;
    }
    !after.is_lowercase() || text[chars[char_idx].0..].starts_with(".\n\n")
}

fn starts_month(text: &str, chars: &[(usize, char)], char_idx: usize) -> bool {
    let rest = text[chars[char_idx].0 + 1..].trim_start();
    let word: String = rest
        .chars()
        .take_while(|c| c.is_alphabetic())
        .collect::<String>()
        .to_lowercase();
    super::lexicon::lexicon().month(&word).is_some()
}

/// "?" and "!" end a sentence at a blank or at the end, not inside an address.
fn mark_ends(chars: &[(usize, char)], char_idx: usize) -> bool {
    chars
        .get(char_idx + 1)
        .is_none_or(|(_, next)| next.is_whitespace() || super::text::is_cjk(*next))
}

fn closes_next(chars: &[(usize, char)], char_idx: usize) -> bool {
    chars
        .get(char_idx + 1)
        .is_some_and(|(_, next)| matches!(next, '」' | '』' | '”' | '）' | '"'))
}

/// A closing quote or bracket right after a full stop belongs to the sentence that it closes.
fn closes_after_stop(chars: &[(usize, char)], char_idx: usize) -> bool {
    let c = chars[char_idx].1;
    if char_idx == 0 || !matches!(c, '"' | '”' | '’' | ')' | '」' | '』' | '）' | '*' | '_') {
        return false;
    }
    let previous = chars[char_idx - 1].1;
    let next = chars.get(char_idx + 1).map(|(_, next)| *next);
    match previous {
        '。' | '！' | '？' => true,
        '.' | '!' | '?' => next.is_none_or(char::is_whitespace),
        _ => false,
    }
}

/// A line end is a blank inside running text; it separates where lines are units of their own.
fn line_ends(text: &str, end: usize, kind: BlockKind) -> bool {
    match kind {
        BlockKind::TableRow | BlockKind::KeyValue | BlockKind::Code | BlockKind::Heading => true,
        BlockKind::Paragraph | BlockKind::ListItem | BlockKind::Comment => {
            let rest = &text[end..];
            let line = rest.split('\n').next().unwrap_or("").trim();
            let line = if kind == BlockKind::Comment {
                line.trim_start_matches(COMMENT_MARKS).trim()
            } else {
                line
            };
            line.is_empty()
        }
    }
}

const COMMENT_MARKS: [char; 8] = ['/', '!', '#', '*', '-', ';', '"', '\''];

fn push_trimmed(text: &str, range: Range<usize>, kind: BlockKind, ranges: &mut Vec<Range<usize>>) {
    let slice = &text[range.clone()];
    let mut start = range.start + (slice.len() - slice.trim_start().len());
    let mut end = range.start + slice.trim_end().len();
    if start >= end {
        return;
    }
    if kind == BlockKind::Comment {
        let lead = text[start..end].trim_start_matches(COMMENT_MARKS).trim_start();
        start = end - lead.len();
        end = start + lead.trim_end_matches(['*', '/', '"', '\'']).trim_end().len();
    } else {
        let lead = strip_bullet(&text[start..end]);
        start = end - lead.len();
    }
    if start < end {
        ranges.push(start..end);
    }
}

/// Takes a list or quotation mark off the start of a line.
fn strip_bullet(text: &str) -> &str {
    let mut rest = text;
    for mark in ["- ", "* ", "+ ", "• ", "> "] {
        rest = rest.strip_prefix(mark).unwrap_or(rest).trim_start();
    }
    rest
}
