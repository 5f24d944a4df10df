//! Reduces the forms of a word to one key for scoring: [`fold`] and [`folded_keys`].
//!
//! Never used where a phrase has to match.

use gemicro_core::offline::stem;

use super::words::{WordSpan, Words, push_normal};

/// The keys under which the words of a text are scored, in order. A word with hyphens counts as a whole and by its
/// parts; characters of scripts without spaces count alone and in pairs.
pub(super) fn folded_keys(text: &str) -> Vec<String> {
    let mut keys = Vec::new();
    let mut previous: Option<WordSpan> = None;
    for word in Words::new(text) {
        let normal = normal_of(&text[word.range.clone()]);
        if word.unspaced {
            if let Some(before) =
                previous.filter(|before| before.unspaced && before.range.end == word.range.start)
            {
                let mut pair = normal_of(&text[before.range]);
                pair.push_str(&normal);
                keys.push(pair);
            }
            keys.push(normal);
        } else {
            if normal.contains(['-', '\'', '_']) {
                keys.extend(
                    normal
                        .split(['-', '\'', '_'])
                        .filter(|part| !part.is_empty())
                        .map(fold),
                );
            }
            keys.extend(
                inner_words(&text[word.range.clone()])
                    .iter()
                    .map(|part| fold(part)),
            );
            keys.push(fold(&normal));
        }
        previous = Some(word);
    }
    keys
}

/// The words of `maxAttempts`, in lower case; empty if no capital follows a lower-case letter.
fn inner_words(word: &str) -> Vec<String> {
    let mut parts: Vec<String> = vec![String::new()];
    let mut was_lower = false;
    for c in word.chars() {
        if c.is_uppercase() && was_lower {
            parts.push(String::new());
        }
        was_lower = c.is_lowercase();
        if let Some(last) = parts.last_mut() {
            last.extend(c.to_lowercase());
        }
    }
    if parts.len() > 1 { parts } else { Vec::new() }
}

/// The keys of a query term: pairs of characters if there are any, and whole words without their parts.
pub(super) fn query_keys(term: &str) -> Vec<String> {
    let mut keys = Vec::new();
    let words: Vec<WordSpan> = Words::new(term).collect();
    for (idx, word) in words.iter().enumerate() {
        let normal = normal_of(&term[word.range.clone()]);
        if !word.unspaced {
            keys.push(fold(&normal));
            continue;
        }
        let touches = |a: &WordSpan, b: &WordSpan| a.unspaced && b.unspaced && a.range.end == b.range.start;
        match words.get(idx + 1).filter(|next| touches(word, next)) {
            Some(next) => keys.push(normal + &normal_of(&term[next.range.clone()])),
            None if idx > 0 && touches(&words[idx - 1], word) => {}
            None => keys.push(normal),
        }
    }
    keys
}

fn normal_of(word: &str) -> String {
    let mut normal = String::with_capacity(word.len());
    push_normal(word, &mut normal);
    normal
}

/// The common form of an English word; other words stay as they are.
pub(super) fn fold(word: &str) -> String {
    if word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        stem(word)
    } else {
        word.to_owned()
    }
}
