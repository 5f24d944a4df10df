//! Findings that say the same: the second saying goes, its sources stay with the first.

use std::collections::BTreeSet;

use super::markers::marks;
use crate::corpus::BlockKind;
use crate::offline::{content_words, is_negative, sentence_ranges};

/// How alike the words of two sentences must be to count as one: shared words among all words of both.
const ALIKE: f64 = 0.8;

/// Findings larger than this together are left as they are.
const MAX_BYTES: usize = 256 * 1024;

/// A sentence that was said, and where.
struct Said {
    part: usize,
    /// Byte place behind the sentence in the text kept for its part.
    end: usize,
    words: BTreeSet<String>,
    numbers: BTreeSet<String>,
    negative: bool,
}

/// Takes sentences out that an earlier part has said already; gives the number taken out. Numbers and
/// negation must agree: "opened in 1931" and "opened in 1932" are two findings.
pub(super) fn merge(parts: &mut [(String, String)]) -> usize {
    // Every sentence is compared with every earlier one: texts of this size are no findings any more.
    if parts.iter().map(|(_, text)| text.len()).sum::<usize>() > MAX_BYTES {
        return 0;
    }
    let mut said: Vec<Said> = Vec::new();
    let mut n_merged = 0;
    for at in 0..parts.len() {
        let text = std::mem::take(&mut parts[at].1);
        let mut kept = String::with_capacity(text.len());
        let mut copied = 0;
        for range in sentence_ranges(&text, BlockKind::Paragraph) {
            // A marker behind the full stop belongs to its sentence, even where it looks like the next one.
            let start = range.start.max(copied);
            let end = range.end.max(copied);
            let end = end + leading_marks(&text[end..]);
            let sentence = fingerprint(&text[start..end], at);
            match said
                .iter()
                .position(|known| known.part != at && says_the_same(known, &sentence))
            {
                Some(known) => {
                    kept.push_str(&text[copied..start]);
                    let moved = marks(&text[start..end]);
                    add_marks(&mut said, known, &moved, parts);
                    n_merged += 1;
                }
                None => {
                    kept.push_str(&text[copied..end]);
                    said.push(Said {
                        end: kept.len(),
                        ..sentence
                    });
                }
            }
            copied = end;
        }
        kept.push_str(&text[copied..]);
        let kept = kept.trim().to_owned();
        parts[at].1 = if kept.is_empty() && !text.trim().is_empty() {
            "See above.".to_owned()
        } else {
            kept
        };
    }
    n_merged
}

fn fingerprint(sentence: &str, part: usize) -> Said {
    let words: BTreeSet<String> = content_words(&super::markers::renumber(sentence, |_| Vec::new()))
        .into_iter()
        .collect();
    let numbers = words
        .iter()
        .filter(|word| word.chars().any(|c| c.is_ascii_digit()))
        .cloned()
        .collect();
    Said {
        part,
        end: 0,
        words,
        numbers,
        negative: is_negative(sentence),
    }
}

fn says_the_same(one: &Said, other: &Said) -> bool {
    if one.words.len() < 3 || one.numbers != other.numbers || one.negative != other.negative {
        return false;
    }
    let shared = one.words.intersection(&other.words).count();
    let all = one.words.union(&other.words).count();
    shared as f64 >= ALIKE * all as f64
}

/// Puts markers behind an earlier sentence that it does not carry yet.
fn add_marks(said: &mut [Said], known: usize, moved: &[usize], parts: &mut [(String, String)]) {
    let (part, end) = (said[known].part, said[known].end);
    let text = &mut parts[part].1;
    let end = end.min(text.len());
    let carried = marks(&text[..end]);
    let new: String = moved
        .iter()
        .filter(|n| !carried.contains(n))
        .map(|n| format!("[{n}]"))
        .collect();
    if new.is_empty() || !text.is_char_boundary(end) {
        return;
    }
    text.insert_str(end, &new);
    for other in said.iter_mut().filter(|it| it.part == part && it.end >= end) {
        other.end += new.len();
    }
}

/// Bytes of markers right at the beginning of a text.
fn leading_marks(text: &str) -> usize {
    let mut rest = text;
    loop {
        let trimmed = rest.trim_start_matches(' ');
        let Some(close) = trimmed.strip_prefix('[').and_then(|inside| inside.find(']')) else {
            break;
        };
        if !trimmed[1..=close].bytes().all(|byte| byte.is_ascii_digit()) || close == 0 {
            break;
        }
        rest = &trimmed[close + 2..];
    }
    text.len() - rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(texts: &[&str]) -> (usize, Vec<String>) {
        let mut parts: Vec<(String, String)> = texts
            .iter()
            .map(|text| ("q".to_owned(), (*text).to_owned()))
            .collect();
        let n = merge(&mut parts);
        (n, parts.into_iter().map(|(_, text)| text).collect())
    }

    #[test]
    fn the_second_saying_goes_and_its_sources_stay() {
        let cases: [(&[&str], usize, &[&str]); 7] = [
            (
                &[
                    "The bridge opened in 1931. [1] It is red. [2]",
                    "In 1931 the bridge opened. [3] It is long. [4]",
                ],
                1,
                &[
                    "The bridge opened in 1931. [1][3] It is red. [2]",
                    "It is long. [4]",
                ],
            ),
            (
                &["The bridge opened in 1931 [1].", "The bridge opened in 1932 [2]."],
                0,
                &["The bridge opened in 1931 [1].", "The bridge opened in 1932 [2]."],
            ),
            (
                &[
                    "The old bridge carries trains [1].",
                    "The old bridge carries no trains [2].",
                ],
                0,
                &[
                    "The old bridge carries trains [1].",
                    "The old bridge carries no trains [2].",
                ],
            ),
            (
                &["The bridge opened in 1931. [1]", "The bridge opened in 1931. [1]"],
                1,
                &["The bridge opened in 1931. [1]", "See above."],
            ),
            // A line of markers alone reads as a sentence of its own.
            (
                &[
                    "So it is said. [1]\nThe bridge opened [2].",
                    "So it is said. [1]\nThe bridge opened [2].",
                ],
                0,
                &[
                    "So it is said. [1]\nThe bridge opened [2].",
                    "So it is said. [1]\nThe bridge opened [2].",
                ],
            ),
            (&["Yes.", "Yes."], 0, &["Yes.", "Yes."]),
            (
                &["", "The bridge opened in 1931."],
                0,
                &["", "The bridge opened in 1931."],
            ),
        ];
        for (texts, n, expected) in cases {
            assert_eq!(
                merged(texts),
                (n, expected.iter().map(|it| (*it).to_owned()).collect()),
                "{texts:?}"
            );
        }
    }

    proptest::proptest! {
        #[test]
        fn it_never_panics_and_loses_no_marker(texts in proptest::collection::vec("[ab ß木.\\[\\]1-3\n]{0,60}", 0..4)) {
            let before: BTreeSet<usize> = texts.iter().flat_map(|text| marks(text)).collect();
            let slices: Vec<&str> = texts.iter().map(String::as_str).collect();
            let (_, after) = merged(&slices);
            let after: BTreeSet<usize> = after.iter().flat_map(|text| marks(text)).collect();
            proptest::prop_assert_eq!(before, after);
        }
    }
}
