//! Splits free text into sentences, and sentences into segments of words.
//!
//! A sentence ends at `.`, `;`, `!`, `?`, a line end, or a word such as "but"; a segment also at commas, colons,
//! brackets, dashes, "and" and "or". There is no further language processing.

/// The words between two pauses.
pub(super) type SentenceSegment<'a> = Vec<&'a str>;

/// Words that end a sentence, because a contradiction follows.
const TURNS: [&str; 8] = [
    "but",
    "however",
    "although",
    "though",
    "yet",
    "except",
    "whereas",
    "unfortunately",
];

/// Words that end a segment.
const JOINTS: [&str; 5] = ["and", "or", "nor", "while", "then"];

/// Splits lower-case text. Segments may be empty.
pub(super) fn sentences(text: &str) -> Vec<Vec<SentenceSegment<'_>>> {
    let mut cut = SentenceCut {
        done: Vec::new(),
        segments: Vec::new(),
        segment: SentenceSegment::new(),
    };
    let mut word_start = None;
    for (at, character) in text.char_indices() {
        if character.is_alphanumeric() || matches!(character, '_' | '\'') {
            word_start.get_or_insert(at);
            continue;
        }
        if let Some(start) = word_start.take() {
            cut.word(&text[start..at]);
        }
        let after = &text[at + character.len_utf8()..];
        // Inside a number, path or URL these are not pauses.
        let is_last = after.is_empty() || after.starts_with(char::is_whitespace);
        match character {
            '.' | ':' if !is_last => {}
            '.' | ';' | '!' | '?' | '\n' | '。' | '；' | '！' | '？' => cut.sentence(),
            ',' | ':' | '(' | ')' | '，' | '、' | '：' | '—' | '–' => cut.pause(),
            _ => {}
        }
    }
    if let Some(start) = word_start {
        cut.word(&text[start..]);
    }
    cut.sentence();
    cut.done
}

struct SentenceCut<'a> {
    done: Vec<Vec<SentenceSegment<'a>>>,
    segments: Vec<SentenceSegment<'a>>,
    segment: SentenceSegment<'a>,
}

impl<'a> SentenceCut<'a> {
    fn word(&mut self, word: &'a str) {
        let is_turn = TURNS.contains(&word) && !self.segment.ends_with(&["not"]);
        if is_turn {
            self.sentence();
        } else if JOINTS.contains(&word) {
            self.pause();
        } else {
            self.segment.push(word);
        }
    }

    fn pause(&mut self) {
        self.segments.push(std::mem::take(&mut self.segment));
    }

    fn sentence(&mut self) {
        self.pause();
        self.done.push(std::mem::take(&mut self.segments));
    }
}
