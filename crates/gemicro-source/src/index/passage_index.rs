//! The search index over passages: [`PassageIndex`], a [`Corpus`].
//!
//! Built once from a frozen set of documents, in memory or in a folder, and never changed. The same documents give the
//! same results in the same order. Exact fields answer phrases, folded ones are scored (BM25). A heading is searched
//! through the passages below it, so a passage that is a heading has no text of its own in the index.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use gemicro_core::corpus::{BlockKind, Corpus, CorpusError, Document, Hit, Passage, PassageQuery};

use super::error::IndexError;
use super::fold::{folded_keys, query_keys};
use super::index_file::{IndexFile, IndexReadError, IndexWriter};
use super::postings::{FieldBuilder, Posting, PostingList};
use super::words::exact_keys;
use crate::passages::cut_passages;

const BODY_EXACT: usize = 0;
const HEADING_EXACT: usize = 1;
const TITLE_EXACT: usize = 2;
const BODY_FOLDED: usize = 3;
const CONTEXT_FOLDED: usize = 4;

/// Phrases select the passages, words rank them: a phrase counts for little, in a heading or title for even less.
const PHRASE_WEIGHTS: [(usize, f32); 3] = [(BODY_EXACT, 0.1), (HEADING_EXACT, 0.05), (TITLE_EXACT, 0.05)];
/// A word in heading, title or path counts for less than one in the text.
const TERM_WEIGHTS: [(usize, f32); 2] = [(BODY_FOLDED, 1.0), (CONTEXT_FOLDED, 0.4)];
/// BM25: how soon further occurrences stop counting, and how much long passages are penalised.
const SATURATION: f32 = 1.2;
const LENGTH_NORM: f32 = 0.75;

/// A search index over the passages of a frozen set of documents.
pub struct PassageIndex {
    file: IndexFile,
    /// Mean number of keys of a passage, for each field.
    mean_lengths: Vec<f32>,
}

impl std::fmt::Debug for PassageIndex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PassageIndex")
            .field("n_passages", &self.n_passages())
            .finish_non_exhaustive()
    }
}

impl PassageIndex {
    /// Builds the index in memory.
    pub fn build(documents: &[Document]) -> Result<Self, IndexError> {
        let in_memory = || "memory".into();
        let mut bytes = Vec::new();
        write_all(&mut bytes, documents).map_err(|source| IndexError::Io {
            folder: in_memory(),
            source,
        })?;
        let file = IndexFile::in_memory(bytes).map_err(|reason| IndexError::Damaged {
            folder: in_memory(),
            reason,
        })?;
        Ok(Self::over(file))
    }

    pub(super) fn over(file: IndexFile) -> Self {
        let n_passages = file.n_passages().max(1) as f32;
        let mean = |field: usize| {
            let n_keys: u64 = file.lengths(field).iter().map(|n| u64::from(*n)).sum();
            (n_keys as f32 / n_passages).max(f32::MIN_POSITIVE)
        };
        let mean_lengths = (BODY_EXACT..=CONTEXT_FOLDED).map(mean).collect();
        Self { file, mean_lengths }
    }

    /// Number of passages.
    #[must_use]
    pub fn n_passages(&self) -> u64 {
        u64::from(self.file.n_passages())
    }

    /// Inverse document frequency of a key.
    fn rarity(&self, field: usize, key: &str) -> f32 {
        let n_with = self.file.n_passages_with(field, key) as f32;
        let n_all = self.file.n_passages() as f32;
        (1.0 + (n_all - n_with + 0.5) / (n_with + 0.5)).ln()
    }

    fn bm25(&self, field: usize, posting: Posting, rarity: f32) -> f32 {
        let length = self.file.lengths(field).get(posting.passage as usize);
        let length = length.map_or(0.0, |n| *n as f32) / self.mean_lengths[field];
        let count = posting.count as f32;
        let held_back = SATURATION * (1.0 - LENGTH_NORM + LENGTH_NORM * length);
        rarity * (1.0 + SATURATION) * count / (count + held_back)
    }

    /// Passages with a phrase in their text, heading or title, and its score there. `None` if the phrase has no words.
    fn with_phrase(&self, phrase: &str) -> Result<Option<BTreeMap<u32, f32>>, IndexReadError> {
        let keys = exact_keys(phrase);
        if keys.is_empty() {
            return Ok(None);
        }
        let mut found = BTreeMap::new();
        for (field, weight) in PHRASE_WEIGHTS {
            let rarity = keys.iter().map(|key| self.rarity(field, key)).sum();
            for posting in self.phrase_postings(field, &keys)? {
                *found.entry(posting.passage).or_default() += weight * self.bm25(field, posting, rarity);
            }
        }
        Ok(Some(found))
    }

    /// The passages in which the keys are adjacent, with the number of such places.
    fn phrase_postings(&self, field: usize, keys: &[String]) -> Result<Vec<Posting>, IndexReadError> {
        let lists = keys.iter().map(|key| self.file.list(field, key));
        let lists: Vec<PostingList> = lists.collect::<Result<_, _>>()?;
        let Some((first, others)) = lists.split_first() else {
            return Ok(Vec::new());
        };
        let n_phrases = |posting: &Posting| -> Option<u32> {
            let mut starts = first.positions(*posting).to_vec();
            for (list, offset) in others.iter().zip(1..) {
                let idx = list
                    .postings
                    .binary_search_by_key(&posting.passage, |it| it.passage)
                    .ok()?;
                let positions = list.positions(list.postings[idx]);
                starts.retain(|start| positions.binary_search(&(start + offset)).is_ok());
            }
            u32::try_from(starts.len()).ok().filter(|n| *n > 0)
        };
        let found = first.postings.iter().filter_map(|posting| {
            let count = n_phrases(posting)?;
            Some(posting.with_count(count))
        });
        Ok(found.collect())
    }

    /// The score of each passage that matches the query.
    fn scores(&self, query: &PassageQuery) -> Result<Vec<(u32, f32)>, IndexReadError> {
        let mut required: Option<BTreeMap<u32, f32>> = None;
        for phrase in query.phrases.iter().filter(|phrase| !phrase.trim().is_empty()) {
            // Punctuation is not in the index, so a phrase without words matches nothing.
            let Some(found) = self.with_phrase(phrase)? else {
                return Ok(Vec::new());
            };
            required = Some(match required {
                None => found,
                Some(so_far) => {
                    let both = so_far.into_iter().filter_map(|(passage, score)| {
                        let more = found.get(&passage)?;
                        Some((passage, score + more))
                    });
                    both.collect()
                }
            });
        }
        let mut by_terms: Vec<f32> = vec![0.0; self.file.n_passages() as usize];
        let keys = query.terms.iter().flat_map(|term| query_keys(term));
        for key in keys.collect::<BTreeSet<String>>() {
            for (field, weight) in TERM_WEIGHTS {
                let rarity = self.rarity(field, &key);
                for posting in &self.file.list(field, &key)?.postings {
                    if let Some(score) = by_terms.get_mut(posting.passage as usize) {
                        *score += weight * self.bm25(field, *posting, rarity);
                    }
                }
            }
        }
        Ok(match required {
            Some(required) => {
                let with_terms = required.into_iter().map(|(passage, score)| {
                    let more = by_terms.get(passage as usize).copied().unwrap_or_default();
                    (passage, score + more)
                });
                with_terms.collect()
            }
            None => {
                let scored = (0..).zip(by_terms);
                scored.filter(|(_, score)| *score > 0.0).collect()
            }
        })
    }
}

impl Corpus for PassageIndex {
    fn search(&self, query: &PassageQuery) -> Result<Vec<Hit>, CorpusError> {
        let mut scores = self.scores(query).map_err(corpus_error)?;
        let best_first = |a: &(u32, f32), b: &(u32, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
        if query.limit < scores.len() {
            scores.select_nth_unstable_by(query.limit, best_first);
            scores.truncate(query.limit);
        }
        scores.sort_by(best_first);
        let hits = scores.into_iter().map(|(place, score)| {
            let passage = self.file.passage(place).map_err(corpus_error)?;
            Ok(Hit { passage, score })
        });
        hits.collect()
    }

    fn frequency(&self, word: &str) -> Result<usize, CorpusError> {
        let keys = query_keys(word);
        let counts = TERM_WEIGHTS.map(|(field, _)| {
            let counts = keys.iter().map(|key| self.file.n_passages_with(field, key));
            counts.max().unwrap_or_default() as usize
        });
        Ok(counts.into_iter().find(|count| *count > 0).unwrap_or_default())
    }

    fn passages(&self, doc: &str) -> Result<Vec<Passage>, CorpusError> {
        let places = self.file.places_of(doc);
        places
            .map(|place| self.file.passage(place).map_err(corpus_error))
            .collect()
    }
}

/// Writes the index of all documents, in order.
pub(super) fn write_all(out: &mut dyn Write, documents: &[Document]) -> io::Result<()> {
    let mut writer = IndexWriter::new(out)?;
    let is_exact = |field: usize| field <= TITLE_EXACT;
    let mut fields: Vec<FieldBuilder> = (BODY_EXACT..=CONTEXT_FOLDED)
        .map(|field| FieldBuilder::new(is_exact(field)))
        .collect();
    for document in documents {
        for passage in cut_passages(document) {
            let place = writer.add(&passage)?;
            for (field, keys) in fields.iter_mut().zip(passage_keys(&passage)) {
                field.add(place, keys);
            }
        }
    }
    writer.finish(fields)
}

/// The keys of a passage in each field.
fn passage_keys(passage: &Passage) -> [Vec<String>; 5] {
    if passage.kind == BlockKind::Heading {
        return Default::default();
    }
    let heading = passage.heading.as_deref().unwrap_or_default();
    let context = [passage.title.as_str(), &passage.doc, heading];
    [
        exact_keys(&passage.text),
        exact_keys(heading),
        exact_keys(&passage.title),
        folded_keys(&passage.text),
        context.into_iter().flat_map(folded_keys).collect(),
    ]
}

fn corpus_error(error: IndexReadError) -> CorpusError {
    CorpusError {
        message: error.message(),
    }
}
