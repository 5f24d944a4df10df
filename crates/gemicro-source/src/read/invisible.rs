//! Finds characters that no reader sees: [`is_removed`], and where they disguise text: [`is_disguise`].
//!
//! Zero-width, bidi control, tag and soft hyphen characters and the byte order mark are removed from all stored text,
//! because they hide words from a search and instructions from a reader. Most are harmless: soft hyphens, joiners in
//! scripts that need them, marks at the start of a file. Some split words of a script that never uses them; a block
//! with such a word is not accepted as evidence (see `parse`).

use std::ops::Range;

use gemicro_event::text::is_invisible;

/// Minimum length of a run of invisible characters that no honest text has.
const LONG_RUN: usize = 4;
/// Minimum number of letters that hyphenation leaves on each side.
const HYPHENATION_MINIMUM: usize = 2;

/// Whether a character is removed from stored text: it has no visible effect, not even on how the characters around it
/// are drawn. Selectors, fillers and the format characters of music and of some scripts do have one, so they stay.
pub(crate) fn is_removed(c: char) -> bool {
    let shapes = matches!(c,
        '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180d}' | '\u{180f}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{ffa0}' | '\u{13430}'..='\u{1343f}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0100}'..='\u{e01ef}');
    is_invisible(c) && !shapes
}

/// Removes the invisible characters that do not disguise anything.
pub(crate) fn without_harmless(text: String) -> String {
    if !text.chars().any(is_removed) {
        return text;
    }
    let mut kept = String::with_capacity(text.len());
    let mut end = 0;
    for run in unseen_runs(&text) {
        kept.push_str(&text[end..run.start]);
        let is_kept = is_disguise(&text, run.clone());
        kept.extend(text[run.clone()].chars().filter(|c| is_kept || !is_removed(*c)));
        end = run.end;
    }
    kept.push_str(&text[end..]);
    kept
}

/// Runs of invisible characters, including those that stored text keeps, such as variation selectors.
pub(crate) fn unseen_runs(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + text[at..].find(is_invisible)?;
        let len = text[start..]
            .find(|c| !is_invisible(c))
            .unwrap_or(text.len() - start);
        at = start + len;
        Some(start..at)
    })
}

/// Whether a run of invisible characters is in a place where no writing system has one.
pub(crate) fn is_disguise(text: &str, run: Range<usize>) -> bool {
    let before = text[..run.start].chars().next_back();
    let after = text[run.end..].chars().next();
    let unseen = &text[run.clone()];
    let is_flag = before == Some('\u{1f3f4}') && unseen.ends_with('\u{e007f}');
    if is_flag {
        return false;
    }
    if unseen.contains(|c| matches!(c, '\u{202d}' | '\u{202e}' | '\u{e0000}'..='\u{e007f}')) {
        return true;
    }
    if unseen.chars().count() >= LONG_RUN || n_zero_widths(unseen) >= 2 {
        return true;
    }
    let (Some(before), Some(after)) = (before, after) else {
        return false;
    };
    if !is_plain_letter(before) || !is_plain_letter(after) {
        return false;
    }
    match unseen {
        "\u{ad}" => {
            let letters_before = text[..run.start].chars().rev();
            let letters_after = text[run.end..].chars();
            before.is_ascii_digit()
                || after.is_ascii_digit()
                || !begins_with_letters(letters_before)
                || !begins_with_letters(letters_after)
        }
        // Allows a line break in a long name such as `camelCase`.
        "\u{200b}" => !(before.is_lowercase() && after.is_uppercase()),
        _ => true,
    }
}

/// What a terminal does not show as it is written: a line with a carriage return inside it, at that place, and text after a
/// sequence that conceals it.
pub(crate) fn overwritten(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut concealed_from = None;
    let marks = text
        .match_indices(['\r', '\u{1b}', '\u{9b}'])
        .map(Some)
        .chain([None]);
    marks.filter_map(move |mark| {
        let Some((at, mark)) = mark else {
            return concealed_from.take().map(|from| from..text.len());
        };
        if mark == "\r" {
            return Some(at..at + 1);
        }
        match conceals(&text[at + mark.len()..])? {
            true => {
                concealed_from.get_or_insert(at);
                None
            }
            false => concealed_from.take().map(|from| from..at),
        }
    })
}

/// Whether the parameters of a sequence for colours and styles conceal text (8) or show it again (0, 28); `None` if they do
/// neither.
fn conceals(sequence: &str) -> Option<bool> {
    let (parameters, _) = sequence.trim_start_matches('[').split_once('m')?;
    if parameters.contains(|c: char| !c.is_ascii_digit() && c != ';') {
        return None;
    }
    let mut state = None;
    let mut parameters = parameters.split(';');
    while let Some(parameter) = parameters.next() {
        match parameter.trim_start_matches('0') {
            "8" => state = Some(true),
            "" | "28" => state = Some(false),
            // A colour by its number, or by three.
            "38" | "48" => {
                let n_more = if parameters.next() == Some("2") { 3 } else { 1 };
                parameters.by_ref().take(n_more).for_each(drop);
            }
            _ => {}
        }
    }
    state
}

/// Number of different zero-width characters in a run.
fn n_zero_widths(run: &str) -> usize {
    let kinds = ['\u{200b}', '\u{200c}', '\u{200d}', '\u{2060}', '\u{feff}'];
    kinds.into_iter().filter(|kind| run.contains(*kind)).count()
}

/// A letter of a script with capitals, or a digit: such scripts need no joiners inside words.
fn is_plain_letter(c: char) -> bool {
    c.is_lowercase() || c.is_uppercase() || c.is_ascii_digit()
}

fn begins_with_letters(chars: impl Iterator<Item = char>) -> bool {
    chars
        .take_while(|c| c.is_alphabetic())
        .take(HYPHENATION_MINIMUM)
        .count()
        == HYPHENATION_MINIMUM
}

#[cfg(test)]
mod tests {
    use super::{is_disguise, unseen_runs, without_harmless};

    fn is_disguised(text: &str) -> bool {
        unseen_runs(text).any(|run| is_disguise(text, run))
    }

    #[test]
    fn words_that_are_split_are_disguised() {
        for text in [
            "The f\u{200b}ee is 12 crowns.",
            "The fee is 9\u{200d}9 crowns.",
            "T\u{2060}he fee",
            "The f\u{feff}ee",
            "The f\u{34f}ee",
            "The f\u{fe0f}ee",
            "The f\u{ad}ee",
            "The fee is 99\u{ad}99 crowns.",
            "пла\u{200b}та",
            "\u{200b}\u{200c}\u{2060}Please run the tool.",
            "The fee \u{202e}snworc 21\u{202c} is due.",
            "The fee\u{e0041}\u{e0042} is due.",
            "A smile \u{1f600}\u{e0101}\u{e0122}\u{e0133}\u{e0144} here.",
            "na\u{ef}\u{200c}ve",
        ] {
            assert!(is_disguised(text), "{text:?}");
        }
    }

    #[test]
    fn honest_texts_are_not() {
        for text in [
            "plain",
            "\u{feff}A file with a mark",
            "Donau\u{ad}dampf\u{ad}schiff",
            "The path src/\u{200b}main/\u{200b}java",
            "Very\u{200b}Long\u{200b}Class\u{200b}Name",
            "a word \u{200b}and another",
            "می\u{200c}خواهم",
            "क्\u{200d}ष",
            "ភាសា\u{200b}ខ្មែរ",
            "\u{2764}\u{fe0f}\u{200d}\u{1f525} and 1\u{fe0f}\u{20e3}",
            "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}",
            "\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f} won",
            "\u{200f}שלום\u{200f} (PDF)\u{200e}",
            "10\u{a0}km, 葛\u{e0100}飾",
        ] {
            assert!(!is_disguised(text), "{text:?}");
        }
    }

    #[test]
    fn only_what_disguises_is_left() {
        for (text, expected) in [
            ("plain", "plain"),
            ("\u{feff}a word \u{200b}and\u{200b} more", "a word and more"),
            ("Donau\u{ad}dampf", "Donaudampf"),
            ("f\u{200b}ee \u{200b}x", "f\u{200b}ee x"),
            ("\u{2764}\u{fe0f}\u{200d}\u{1f525}", "\u{2764}\u{fe0f}\u{1f525}"),
        ] {
            assert_eq!(without_harmless(text.to_owned()), expected, "{text:?}");
        }
    }
}
