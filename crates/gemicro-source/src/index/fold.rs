//! Brings forms of a word together for scoring: [`fold`] and [`folded_keys`].
//!
//! Light on purpose: English plurals, `-ing` and `-ed`. Never used where a phrase has to match.

use super::words::{Word, Words, push_normal};

/// The keys under which the words of a text are scored, in order. A word with hyphens counts as a whole and
/// by its parts; characters of scripts without blanks count alone and in pairs.
pub(super) fn folded_keys(text: &str) -> Vec<String> {
    let mut keys = Vec::new();
    let mut previous: Option<Word> = None;
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
            keys.push(fold(&normal));
        }
        previous = Some(word);
    }
    keys
}

/// The keys that stand for a query term: pairs where there are any, whole words without their parts.
pub(super) fn query_keys(term: &str) -> Vec<String> {
    let mut keys = Vec::new();
    let words: Vec<Word> = Words::new(term).collect();
    for (idx, word) in words.iter().enumerate() {
        let normal = normal_of(&term[word.range.clone()]);
        if !word.unspaced {
            keys.push(fold(&normal));
            continue;
        }
        let touches = |a: &Word, b: &Word| a.unspaced && b.unspaced && a.range.end == b.range.start;
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
    if word.len() < 4 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return word.to_owned();
    }
    let stem = without_plural(word);
    let stem = without_ending(&stem, "ing")
        .or_else(|| without_ending(&stem, "ed"))
        .unwrap_or(stem);
    // `make` and `making` meet at `mak`.
    match stem.strip_suffix('e') {
        Some(short) if short.len() >= 3 => short.to_owned(),
        _ => stem,
    }
}

fn without_plural(word: &str) -> String {
    if let Some(stem) = word.strip_suffix("ies").filter(|stem| stem.len() >= 2) {
        return format!("{stem}y");
    }
    for ending in ["sses", "xes", "zes", "ches", "shes"] {
        if word.ends_with(ending) {
            return word[..word.len() - 2].to_owned();
        }
    }
    let keeps_s = ["ss", "us", "is"].iter().any(|ending| word.ends_with(ending));
    match word.strip_suffix('s') {
        Some(stem) if !keeps_s => stem.to_owned(),
        _ => word.to_owned(),
    }
}

/// The stem before `ending`, if it is a word by itself: three letters and a vowel at least.
fn without_ending(word: &str, ending: &str) -> Option<String> {
    let stem = word.strip_suffix(ending)?;
    if stem.len() < 3 || !stem.contains(['a', 'e', 'i', 'o', 'u', 'y']) || stem.ends_with('e') {
        return None;
    }
    let bytes = stem.as_bytes();
    let (last, before) = (bytes[bytes.len() - 1], bytes[bytes.len() - 2]);
    // `stopped` → `stop`, but `filled` → `fill`.
    if last == before && !b"lsz".contains(&last) {
        return Some(stem[..stem.len() - 1].to_owned());
    }
    if let Some(root) = stem.strip_suffix('i').filter(|_| ending == "ed") {
        return Some(format!("{root}y"));
    }
    Some(stem.to_owned())
}
