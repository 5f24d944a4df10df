//! The real vocabulary of Gemma 3, as a counter.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Mutex;

use gemicro_core::tokens::TokenCount;
use kitoken::Kitoken;

/// Counts exactly. No piece of the vocabulary holds a line end and anything else, so lines can be counted one by
/// one; those that were seen before are looked up.
pub(crate) struct Vocabulary {
    tokenizer: Kitoken,
    lines: Mutex<HashMap<String, u64>>,
}

impl Vocabulary {
    /// From where `cargo xtask setup` puts it.
    pub(crate) fn load() -> Self {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.tools/tokenizer/gemma3.model");
        Self {
            tokenizer: Kitoken::from_sentencepiece_file(file)
                .expect("the Gemma 3 vocabulary is missing: run `cargo xtask setup`"),
            lines: Mutex::default(),
        }
    }

    /// Tokens of a text, counted as one.
    pub(crate) fn at_once(&self, text: &str) -> u64 {
        self.tokenizer
            .encode(text, false)
            .expect("every byte has a token")
            .len() as u64
    }
}

impl TokenCount for Vocabulary {
    fn tokens(&self, text: &str) -> u64 {
        let mut lines = self.lines.lock().expect("no test panics in here");
        let mut sum = 0;
        let mut rest = text;
        while !rest.is_empty() {
            let is_end = |letter| letter == '\n';
            let start = rest.find(|letter| !is_end(letter)).unwrap_or(rest.len());
            let end = rest[start..].find(is_end).map_or(rest.len(), |at| start + at);
            for part in [&rest[..start], &rest[start..end]] {
                sum += match lines.get(part) {
                    Some(count) => *count,
                    None => {
                        let count = self.at_once(part);
                        lines.insert(part.to_owned(), count);
                        count
                    }
                };
            }
            rest = &rest[end..];
        }
        sum
    }
}
