//! Indexes all statements of a conversation, and finds those that share words with a message (BM25).
//!
//! The main type is [`StatementIndex`]. It grows by one turn at a time and is kept in memory only.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use super::split::statements;
use crate::history::{Author, Turn};
use crate::offline::stem;
use crate::tokens::TokenCount;

/// A statement without its text, which is in the log.
#[derive(Debug, Clone)]
pub(in crate::history) struct IndexedStatement {
    pub(in crate::history) turn: u64,
    pub(in crate::history) author: Author,
    /// Byte range in the turn's text.
    pub(in crate::history) range: Range<usize>,
    pub(in crate::history) is_prose: bool,
    pub(in crate::history) tokens: u64,
    pub(in crate::history) is_question: bool,
    pub(in crate::history) has_digit: bool,
    /// Equal for equal texts.
    pub(in crate::history) hash: u64,
    n_words: u32,
    /// Its distinct words, only for prose.
    words: Range<usize>,
}

/// The statements of the absorbed turns.
#[derive(Debug, Default)]
pub struct StatementIndex {
    all: Vec<IndexedStatement>,
    /// Index of the first statement of each turn.
    first_of_turn: Vec<usize>,
    word_ids: HashMap<String, usize>,
    words: Vec<WordEntry>,
    /// The words of prose, statement after statement.
    prose_words: Vec<usize>,
    n_prose: u32,
    n_words: u64,
}

#[derive(Debug, Default)]
struct WordEntry {
    /// The statements that contain it, at most `MAX_PLACES`.
    places: Vec<u32>,
    n_statements: u32,
    n_prose: u32,
}

/// A word in more statements than this is ignored in searches.
const MAX_PLACES: usize = 20_000;

/// Maximum number of words of a message that are searched, the rarest first.
const MAX_QUERY: usize = 48;

impl StatementIndex {
    /// Adds the statements of the next turn.
    pub(in crate::history) fn absorb(&mut self, turn: &Turn, counter: &dyn TokenCount) {
        self.first_of_turn.push(self.all.len());
        for statement in statements(turn) {
            let idx = u32::try_from(self.all.len()).unwrap_or(u32::MAX);
            let mut ids = Vec::new();
            terms(statement.text, |term| {
                let next = self.words.len();
                let id = match self.word_ids.get(term) {
                    Some(&id) => id,
                    None => {
                        self.word_ids.insert(term.to_owned(), next);
                        self.words.push(WordEntry::default());
                        next
                    }
                };
                ids.push(id);
            });
            let n_words = u32::try_from(ids.len()).unwrap_or(u32::MAX);
            self.n_words += u64::from(n_words);
            ids.sort_unstable();
            ids.dedup();
            for &id in &ids {
                let word = &mut self.words[id];
                word.n_statements += 1;
                word.n_prose += u32::from(statement.is_prose);
                if word.places.len() < MAX_PLACES {
                    word.places.push(idx);
                }
            }
            let from = self.prose_words.len();
            if statement.is_prose {
                self.n_prose += 1;
                self.prose_words.extend(ids);
            }
            let mut hasher = DefaultHasher::new();
            statement.text.hash(&mut hasher);
            self.all.push(IndexedStatement {
                turn: turn.number,
                author: turn.author,
                range: statement.start..statement.start + statement.text.len(),
                is_prose: statement.is_prose,
                tokens: counter.tokens(statement.text),
                is_question: statement.text.ends_with(['?', '？', '؟']),
                has_digit: statement.text.contains(|letter: char| letter.is_ascii_digit()),
                hash: hasher.finish(),
                n_words,
                words: from..self.prose_words.len(),
            });
        }
    }

    /// The statements of the first `n_turns` turns.
    pub(in crate::history) fn up_to(&self, n_turns: u64) -> &[IndexedStatement] {
        let idx = usize::try_from(n_turns).unwrap_or(usize::MAX);
        let end = self.first_of_turn.get(idx).copied();
        &self.all[..end.unwrap_or(self.all.len())]
    }

    /// For every distinct word of a prose statement: the number of prose statements with it, and its rarity (0 to 1).
    pub(super) fn rarities(&self, statement: &IndexedStatement) -> impl Iterator<Item = (u32, f32)> {
        let most = rarity(self.n_prose, 1);
        self.prose_words[statement.words.clone()].iter().map(move |&id| {
            let n_prose = self.words[id].n_prose;
            (n_prose, rarity(self.n_prose, n_prose) / most)
        })
    }

    /// Statements of the first `n_turns` turns that share words with a text, the best first.
    pub(in crate::history) fn search(&self, text: &str, n_turns: u64) -> Vec<&IndexedStatement> {
        const K1: f32 = 1.2;
        const B: f32 = 0.6;
        let within = self.up_to(n_turns);
        let n_all = u32::try_from(self.all.len()).unwrap_or(u32::MAX);
        let mean = self.n_words as f32 / n_all.max(1) as f32;
        let mut wanted: Vec<usize> = Vec::new();
        terms(text, |term| wanted.extend(self.word_ids.get(term)));
        wanted.sort_unstable_by_key(|&id| (self.words[id].n_statements, id));
        wanted.dedup();
        let mut scores = vec![0.0_f32; within.len()];
        let mut of_turn: HashMap<u64, f32> = HashMap::new();
        for &id in wanted.iter().take(MAX_QUERY) {
            let word = &self.words[id];
            if word.places.len() >= MAX_PLACES {
                continue;
            }
            let rare = rarity(n_all, word.n_statements);
            for &place in &word.places {
                let Some(statement) = within.get(place as usize) else {
                    break;
                };
                let length = 1.0 - B + B * statement.n_words as f32 / mean.max(1.0);
                let weight = if statement.is_prose { 1.0 } else { PASTED };
                let score = weight * rare * (K1 + 1.0) / (1.0 + K1 * length);
                scores[place as usize] += score;
                if statement.is_prose {
                    *of_turn.entry(statement.turn).or_default() += score;
                }
            }
        }
        // A sentence also scores by the other sentences of its turn.
        for (&turn, &score) in &of_turn {
            for idx in self.of_turn(turn) {
                if within[idx].is_prose {
                    scores[idx] += CONTEXT * (score - scores[idx]);
                }
            }
        }
        let mut found: Vec<usize> = (0..within.len()).filter(|&idx| scores[idx] > 0.0).collect();
        found.sort_unstable_by(|&left, &right| scores[right].total_cmp(&scores[left]).then(right.cmp(&left)));
        found.truncate(MAX_FOUND);
        found.into_iter().map(|idx| &within[idx]).collect()
    }

    fn of_turn(&self, turn: u64) -> Range<usize> {
        let idx = usize::try_from(turn).unwrap_or(usize::MAX);
        let at = |idx: usize| self.first_of_turn.get(idx).copied().unwrap_or(self.all.len());
        at(idx.saturating_sub(1))..at(idx)
    }
}

/// Weight of pasted material: it has more words and says less.
const PASTED: f32 = 0.6;

/// The share of its turn's score that counts for a sentence.
const CONTEXT: f32 = 0.3;

/// Maximum number of results; no prompt has space for more.
const MAX_FOUND: usize = 1_000;

/// The rarity of a word that is in `n_with` of `n_all` statements.
fn rarity(n_all: u32, n_with: u32) -> f32 {
    let (n_all, n_with) = (n_all as f32, n_with as f32);
    ((n_all - n_with + 0.5) / (n_with + 0.5)).ln_1p()
}

/// Calls `found` with the normalised words of a text: lower case, English endings removed. Scripts without spaces give
/// pairs of characters; long words also give their first letters, for the endings of other languages.
fn terms(text: &str, mut found: impl FnMut(&str)) {
    const LONG: usize = 8;
    const START: usize = 6;
    let mut word = String::new();
    let mut before: Option<char> = None;
    let mut pair = String::new();
    let mut end_word = |word: &mut String| {
        if word.len() > 1 || word.starts_with(|letter: char| letter.is_ascii_digit()) {
            found(&stem(word));
            if let Some((start, _)) = word.char_indices().nth(START)
                && word.chars().count() >= LONG
                && !word.starts_with(|letter: char| letter.is_ascii_digit())
            {
                let start = format!("{}*", &word[..start]);
                found(&start);
            }
        }
        word.clear();
    };
    for letter in text.chars() {
        if is_joined_script(letter) {
            end_word(&mut word);
            pair.clear();
            pair.extend(before);
            pair.push(letter);
            word.push_str(&pair);
            if before.is_some() {
                end_word(&mut word);
            }
            word.clear();
            before = Some(letter);
            continue;
        }
        before = None;
        if letter.is_alphanumeric() {
            word.extend(letter.to_lowercase());
        } else {
            end_word(&mut word);
        }
    }
    end_word(&mut word);
}

/// Chinese and Japanese characters, which are written without spaces.
fn is_joined_script(letter: char) -> bool {
    matches!(letter, '\u{3041}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}')
}
