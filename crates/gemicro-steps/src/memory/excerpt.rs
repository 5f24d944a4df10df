//! Cuts a text down to an excerpt.

use std::ops::Range;

/// Marks a part that is not shown.
const GAP: &str = "…";
/// Bytes shown on each side of a hit.
const AROUND: usize = 160;

/// The text, or if it is longer than `most` bytes, the parts around the hits; without hits, its beginning.
pub(super) fn excerpt(text: &str, hits: &[Range<usize>], most: usize) -> String {
    let text = text.trim_end();
    if text.len() <= most {
        return text.to_owned();
    }
    let mut shown = Vec::new();
    let mut left = most;
    for part in parts(text, hits, most) {
        let part = part.start..text.floor_char_boundary(part.end.min(part.start + left));
        left -= part.len();
        if !part.is_empty() {
            shown.push(part);
        }
    }
    let mut joined = String::new();
    let mut end = 0;
    for part in shown {
        if part.start > end {
            joined.push_str(GAP);
        }
        joined.push_str(text[part.clone()].trim());
        end = part.end;
    }
    if end < text.len() {
        joined.push_str(GAP);
    }
    joined
}

/// Parts around the hits, in order, merged if they touch.
fn parts(text: &str, hits: &[Range<usize>], most: usize) -> Vec<Range<usize>> {
    let around = AROUND.min(most / 2);
    let whole = |hit: &Range<usize>| {
        let start = text.floor_char_boundary(hit.start.saturating_sub(around));
        let end = text.ceil_char_boundary(hit.end.saturating_add(around).min(text.len()));
        // A word at the edge is shown whole or not at all.
        let start = match text[start..hit.start].find(char::is_whitespace) {
            Some(blank) if start > 0 => start + blank,
            _ => start,
        };
        let end = match text[hit.end.min(end)..end].rfind(char::is_whitespace) {
            Some(blank) if end < text.len() => hit.end + blank,
            _ => end,
        };
        start..end
    };
    let mut parts: Vec<Range<usize>> = hits.iter().map(whole).collect();
    parts.sort_by_key(|part| part.start);
    let mut joined: Vec<Range<usize>> = Vec::new();
    for part in parts {
        match joined.last_mut() {
            Some(last) if part.start <= last.end => last.end = last.end.max(part.end),
            _ => joined.push(part),
        }
    }
    if joined.is_empty() {
        joined.push(0..text.len());
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::{AROUND, GAP, excerpt};

    #[test]
    fn a_short_text_is_whole() {
        assert_eq!(excerpt("one two\n", &[0..3, 4..7], 7), "one two");
    }

    #[test]
    fn a_long_text_is_shown_around_its_hits() {
        let filler = "word ".repeat(200);
        let text = format!("{filler}needle {filler}thread {filler}");
        let (needle, thread) = (text.find("needle").unwrap(), text.find("thread").unwrap());
        let joined = excerpt(&text, &[thread..thread + 6, needle..needle + 6], 800);
        assert!(
            joined.starts_with("…word") && joined.ends_with("word…"),
            "{joined}"
        );
        assert!(joined.find("needle") < joined.find("thread"), "{joined}");
        assert_eq!(joined.matches(GAP).count(), 3);
        assert!(joined.len() < 4 * (AROUND + 10), "{}", joined.len());
    }

    #[test]
    fn no_bytes_more_than_allowed_are_shown_and_no_character_is_cut() {
        let text = "äöü橋".repeat(500);
        for most in 0..40 {
            for hits in [
                vec![],
                vec![0..2, 1_000..1_000],
                vec![0..2, 700..700, 3_000..3_000],
            ] {
                let hits: Vec<_> = hits
                    .into_iter()
                    .map(|hit| text.floor_char_boundary(hit.start)..text.floor_char_boundary(hit.end))
                    .collect();
                let joined = excerpt(&text, &hits, most);
                let n_gaps = joined.matches(GAP).count();
                assert!(joined.len() <= most + n_gaps * GAP.len(), "{most}: {joined}");
            }
        }
    }

    #[test]
    fn without_hits_the_beginning_is_shown() {
        assert_eq!(excerpt("one two three", &[], 7), "one two…");
    }
}
