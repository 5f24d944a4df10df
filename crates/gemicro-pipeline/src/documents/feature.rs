//! The `[feat]` of a task: a short name from the task's text, safe in branches and file names.
//!
//! The main type is [`Feature`]. It is derived by these rules:
//!
//! 1. Only the first sentence counts: up to `.`, `!`, `?`, `:` or `;` before a space, or to the end of the line. If
//!    it yields no word, the next sentence is used.
//! 2. Words are runs of letters and digits. Apostrophes are dropped; every other character separates words. Latin
//!    letters become ASCII: `ä` is `ae`, `é` is `e`. A word with any other letter is skipped.
//! 3. Leading verbs (`add`, `fix`, `please implement`) are dropped, and so are articles, pronouns, auxiliaries and
//!    weak adjectives (`simple`, `new`) anywhere.
//! 4. A preposition or conjunction ends the name once it has two words; before that it is dropped.
//! 5. The name stops before the word that would make it longer than 40 characters; a longer first word is cut.
//! 6. If no word is left, or only a Windows device name, the name is a hash of the text: `task-1f3a5c7e`.
//!
//! Two tasks may have the same feature, so the code that creates branches must look for a free name.

mod stop_words;

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Maximum length of a feature.
const MAX_CHARS: usize = 40;
/// Maximum number of bytes of a task's text that are searched for words.
const MAX_TEXT_BYTES: usize = 4 * 1024;

/// The short name of a task: words of `a-z` and `0-9` with hyphens between them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct Feature(String);

/// The text is not a valid feature.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a valid feature name: use at most 40 of a-z, 0-9 and single hyphens between them")]
pub struct FeatureError {
    /// The rejected text, shortened if it is long.
    pub text: String,
}

impl Feature {
    /// Derives the name of a task from its text.
    pub fn from_task(task: &str) -> Self {
        let start = task.floor_char_boundary(MAX_TEXT_BYTES);
        let name = sentences(&task[..start])
            .map(name_of)
            .find(|name| !name.is_empty())
            .unwrap_or_default();
        if name.is_empty() || is_device(&name) {
            let digest = Sha256::digest(task.as_bytes());
            let hash: String = digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
            return Self(format!("task-{hash}"));
        }
        Self(name)
    }

    /// Accepts an existing name.
    ///
    /// # Errors
    /// When the text is not a valid feature name.
    pub fn parse(text: &str) -> Result<Self, FeatureError> {
        let is_word = |word: &str| {
            !word.is_empty()
                && word
                    .bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        };
        if text.len() <= MAX_CHARS && text.split('-').all(is_word) && !is_device(text) {
            return Ok(Self(text.to_owned()));
        }
        Err(FeatureError {
            text: text.chars().take(80).flat_map(char::escape_debug).collect(),
        })
    }

    /// The name with hyphens, as in branches.
    pub fn hyphenated(&self) -> &str {
        &self.0
    }

    /// The name with underscores, as in file names.
    pub fn underscored(&self) -> String {
        self.0.replace('-', "_")
    }
}

impl fmt::Display for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for Feature {
    type Error = FeatureError;

    fn try_from(text: String) -> Result<Self, FeatureError> {
        Self::parse(&text)
    }
}

impl From<Feature> for String {
    fn from(feature: Feature) -> Self {
        feature.0
    }
}

/// The sentences of a text.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.lines().flat_map(|line| {
        let mut ends: Vec<usize> = line
            .match_indices(['.', '!', '?', ':', ';'])
            .map(|(at, _)| at + 1)
            .filter(|end| line[*end..].chars().next().is_none_or(char::is_whitespace))
            .collect();
        ends.push(line.len());
        let mut start = 0;
        ends.into_iter().map(move |end| {
            let sentence = &line[start..end];
            start = end;
            sentence
        })
    })
}

/// Returns the name that one sentence yields, or an empty string.
fn name_of(sentence: &str) -> String {
    let mut name = String::new();
    let mut n_words = 0;
    for word in words(sentence) {
        let word = word.as_str();
        if stop_words::LINKS.contains(&word) {
            if n_words >= 2 {
                break;
            }
            continue;
        }
        let is_leading_verb = n_words == 0 && stop_words::VERBS.contains(&word);
        if is_leading_verb || stop_words::FILLERS.contains(&word) {
            continue;
        }
        if name.is_empty() {
            name = word.chars().take(MAX_CHARS).collect();
        } else if name.len() + 1 + word.len() <= MAX_CHARS {
            name.push('-');
            name.push_str(word);
        } else {
            break;
        }
        n_words += 1;
    }
    name
}

/// The words of a sentence in lower case.
fn words(sentence: &str) -> impl Iterator<Item = String> {
    sentence
        .split(|c: char| !c.is_alphanumeric() && !is_combining_mark(c) && !matches!(c, '\'' | '\u{2019}'))
        .map(|word| word.replace(['\'', '\u{2019}'], ""))
        .filter_map(|word| in_ascii(&word))
        .filter(|word| !word.is_empty())
}

/// Returns a word in lower-case ASCII, or `None` if a letter has no Latin form.
fn in_ascii(word: &str) -> Option<String> {
    let mut plain = String::new();
    for c in word.nfkd().flat_map(char::to_lowercase) {
        match c {
            // Over a, o and u this is an umlaut. Over other letters it is a diaeresis and is dropped.
            '\u{308}' if plain.ends_with(['a', 'o', 'u']) => plain.push('e'),
            c if is_combining_mark(c) => {}
            'ß' => plain.push_str("ss"),
            'æ' => plain.push_str("ae"),
            'œ' => plain.push_str("oe"),
            'þ' => plain.push_str("th"),
            'ø' => plain.push('o'),
            'đ' | 'ð' => plain.push('d'),
            'ħ' => plain.push('h'),
            'ı' => plain.push('i'),
            'ł' => plain.push('l'),
            'ŧ' => plain.push('t'),
            c if c.is_ascii_alphanumeric() => plain.push(c),
            _ => return None,
        }
    }
    Some(plain)
}

/// Returns true for Windows device names, which cannot be branches or files there.
fn is_device(name: &str) -> bool {
    let numbered = |prefix: &str| {
        let number = name.strip_prefix(prefix);
        number.is_some_and(|number| number.len() == 1 && number.bytes().all(|byte| byte.is_ascii_digit()))
    };
    matches!(name, "con" | "prn" | "aux" | "nul") || numbered("com") || numbered("lpt")
}

#[cfg(test)]
mod tests;
