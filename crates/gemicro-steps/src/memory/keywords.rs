//! Finds keywords in texts: whole words or prefixes, ignoring case.

use std::collections::HashMap;
use std::ops::Range;

use gemicro_event::text;
use unicode_segmentation::UnicodeSegmentation;

/// The keywords of a search.
#[derive(Debug)]
pub(super) struct Keywords {
    given: Vec<String>,
    /// The same in lower case, with all whitespace as single spaces.
    folded: Vec<Vec<char>>,
    /// The keywords by first character.
    by_first: HashMap<char, Vec<usize>>,
}

impl Keywords {
    /// Keywords that differ only in case count once.
    pub(super) fn new(given: &[String]) -> Self {
        let mut keywords = Self {
            given: Vec::new(),
            folded: Vec::new(),
            by_first: HashMap::new(),
        };
        for word in given {
            let blanks = text::one_line(word);
            let folded: Vec<char> = blanks.chars().flat_map(fold).collect();
            let Some(first) = folded.first().filter(|_| !keywords.folded.contains(&folded)) else {
                continue;
            };
            let of_first = keywords.by_first.entry(*first).or_default();
            of_first.push(keywords.folded.len());
            keywords.folded.push(folded);
            keywords.given.push(word.clone());
        }
        keywords
    }

    /// The keywords as given.
    pub(super) fn given_words(&self) -> &[String] {
        &self.given
    }

    /// The first position of each keyword, with its index among the given ones; keywords that do not occur are left
    /// out.
    pub(super) fn first_hits(&self, text: &str) -> Vec<(usize, Range<usize>)> {
        let mut hits: Vec<(usize, Range<usize>)> = Vec::new();
        let mut starts = text.unicode_word_indices().map(|(at, _)| at).peekable();
        let mut before = None;
        for (at, char) in text.char_indices() {
            if hits.len() == self.folded.len() {
                break;
            }
            let begins = starts.next_if_eq(&at).is_some() || before.is_none_or(parts_words);
            before = Some(char);
            let candidates = fold(char).next().and_then(|first| self.by_first.get(&first));
            for keyword in candidates.into_iter().flatten() {
                let is_new = hits.iter().all(|(found, _)| found != keyword);
                // A symbol such as `->` does not begin a word, so it counts anywhere.
                if is_new
                    && (begins || !char.is_alphanumeric())
                    && let Some(length) = length_of(&self.folded[*keyword], &text[at..])
                {
                    hits.push((*keyword, at..at + length));
                }
            }
        }
        hits
    }
}

/// Whether a word begins after this character, although Unicode sees one word in `a_b`, `a.b` and `l’eau`.
fn parts_words(before: char) -> bool {
    before.is_ascii_punctuation() || before == '’'
}

/// Case-folds a character: `ß` becomes `ss`, and all three forms of sigma are equal.
fn fold(char: char) -> impl Iterator<Item = char> {
    char.to_uppercase().flat_map(char::to_lowercase)
}

/// Number of bytes that a keyword covers, if the text begins with it.
fn length_of(keyword: &[char], text: &str) -> Option<usize> {
    let mut left = keyword;
    let mut chars = text.char_indices().peekable();
    while let Some((wanted, rest)) = left.split_first() {
        let (_, char) = chars.next()?;
        if *wanted == ' ' {
            if !char.is_whitespace() {
                return None;
            }
            while chars.next_if(|(_, char)| char.is_whitespace()).is_some() {}
            left = rest;
            continue;
        }
        for folded in fold(char) {
            match left.split_first() {
                Some((wanted, rest)) if *wanted == folded => left = rest,
                Some(_) => return None,
                // The keyword ends inside a character that folds to several.
                None => break,
            }
        }
    }
    Some(chars.peek().map_or(text.len(), |(at, _)| *at))
}

#[cfg(test)]
mod tests {
    use super::Keywords;

    fn hits(keyword: &str, text: &str) -> Option<String> {
        let hits = Keywords::new(&[keyword.to_owned()]).first_hits(text);
        hits.first().map(|(_, range)| text[range.clone()].to_owned())
    }

    #[test]
    fn words_and_their_beginnings_are_found_in_any_case() {
        for (keyword, text, found) in [
            ("ooda", "The OODA loop", Some("OODA")),
            ("oxid", "about Oxidation", Some("Oxid")),
            ("dation", "about oxidation", None),
            ("BAR", "foo_bar", Some("bar")),
            ("md", "AGENT_MEMORY.md", Some("md")),
            ("eau", "l’eau", Some("eau")),
            ("straße", "DIE STRASSE", Some("STRASSE")),
            ("strasse", "die Straße", Some("Straße")),
            ("ΟΔΟΣ", "η οδος", Some("οδος")),
            ("мир", "Миру мир", Some("Мир")),
            ("橋", "這座橋很長", Some("橋")),
            ("->", "a->b", Some("->")),
            ("c++", "in C++20", Some("C++")),
            ("flaky  model", "the flaky\n model", Some("flaky\n model")),
            ("flaky model", "the flakymodel", None),
            ("word", "sword wording", Some("word")),
            ("word", "", None),
            ("longer than the text", "longer", None),
        ] {
            assert_eq!(hits(keyword, text).as_deref(), found, "`{keyword}` in `{text}`");
        }
    }

    #[test]
    fn a_keyword_counts_once_however_it_is_written() {
        let keywords = Keywords::new(&["Loop", "loop", " ", "OODA"].map(str::to_owned));
        assert_eq!(keywords.given_words(), ["Loop", "OODA"]);
        let hits = keywords.first_hits("loop, Ooda, loop");
        assert_eq!(hits, [(0, 0..4), (1, 6..10)]);
    }
}
