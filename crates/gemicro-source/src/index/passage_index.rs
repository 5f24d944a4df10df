//! The search index over passages: [`PassageIndex`], a [`Corpus`].
//!
//! Built once from a frozen set of documents, in memory or in a folder, and never changed. The same
//! documents give the same answers in the same order: one writer thread, no merging, and ties broken by
//! document and place.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use gemicro_core::corpus::{Corpus, CorpusError, Document, Hit, Passage, PassageQuery};
use tantivy::TantivyDocument;
use tantivy::collector::{DocSetCollector, TopDocs};
use tantivy::indexer::NoMergePolicy;
use tantivy::query::{BooleanQuery, BoostQuery, EmptyQuery, Occur, PhraseQuery, Query, TermQuery};
use tantivy::schema::{IndexRecordOption, Value};
use tantivy::{
    DocAddress, Index, IndexReader, IndexWriter, ReloadPolicy, Score, Searcher, SegmentReader, Term,
};

use super::error::IndexError;
use super::fields::{Fields, PLACE};
use super::{fields, fold, tokenizer};
use crate::passages::cut_passages;

/// Memory for what is not yet written, in bytes.
const WRITER_BUDGET: usize = 96 << 20;
/// Phrases choose the passages, words rank them: a phrase counts for little, in heading or title for less.
const PHRASE_WEIGHT: Score = 0.1;
const CONTEXT_PHRASE_WEIGHT: Score = 0.05;
/// Weight of a word in heading or title, against one in the text.
const CONTEXT_TERM_WEIGHT: Score = 0.4;

/// A search index over the passages of a frozen set of documents.
pub struct PassageIndex {
    fields: Fields,
    searcher: Searcher,
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
        let (fields, schema) = Fields::schema();
        let index = Index::builder()
            .schema(schema)
            .tokenizers(fields::tokenizers())
            .create_in_ram()?;
        write_all(&index, &fields, documents)?;
        Self::over(&index, fields)
    }

    /// Over an index whose writing is done.
    pub(super) fn over(index: &Index, fields: Fields) -> Result<Self, IndexError> {
        let reader: IndexReader = index
            .reader_builder()
            .reload_policy(ReloadPolicy::Manual)
            .try_into()?;
        Ok(Self {
            fields,
            searcher: reader.searcher(),
        })
    }

    /// The query for a phrase: in the text, the heading or the title. `None` when it has no words.
    fn phrase_query(&self, phrase: &str) -> Option<Box<dyn Query>> {
        let keys = tokenizer::exact_keys(phrase);
        if keys.is_empty() {
            return None;
        }
        let places = [
            (self.fields.body_exact, PHRASE_WEIGHT),
            (self.fields.heading_exact, CONTEXT_PHRASE_WEIGHT),
            (self.fields.title_exact, CONTEXT_PHRASE_WEIGHT),
        ];
        let anywhere = places.map(|(field, weight)| {
            let mut terms: Vec<Term> = keys.iter().map(|key| Term::from_field_text(field, key)).collect();
            let found: Box<dyn Query> = if terms.len() == 1 {
                Box::new(TermQuery::new(terms.swap_remove(0), IndexRecordOption::WithFreqs))
            } else {
                Box::new(PhraseQuery::new(terms))
            };
            Box::new(BoostQuery::new(found, weight)) as Box<dyn Query>
        });
        Some(Box::new(BooleanQuery::union(anywhere.into())))
    }

    fn query(&self, query: &PassageQuery) -> Box<dyn Query> {
        let mut clauses: Vec<(Occur, Box<dyn Query>)> = Vec::new();
        for phrase in query.phrases.iter().filter(|phrase| !phrase.trim().is_empty()) {
            match self.phrase_query(phrase) {
                Some(found) => clauses.push((Occur::Must, found)),
                // Signs alone are not in the index, so nothing can be said to hold them.
                None => return Box::new(EmptyQuery),
            }
        }
        let keys: BTreeSet<String> = query
            .terms
            .iter()
            .flat_map(|term| fold::query_keys(term))
            .collect();
        for key in keys {
            for (field, weight) in [
                (self.fields.body_folded, 1.0),
                (self.fields.context_folded, CONTEXT_TERM_WEIGHT),
            ] {
                let term = Term::from_field_text(field, &key);
                let found = Box::new(TermQuery::new(term, IndexRecordOption::WithFreqs));
                clauses.push((Occur::Should, Box::new(BoostQuery::new(found, weight))));
            }
        }
        if clauses.is_empty() {
            Box::new(EmptyQuery)
        } else {
            Box::new(BooleanQuery::new(clauses))
        }
    }

    /// How many passages there are.
    #[must_use]
    pub fn n_passages(&self) -> u64 {
        self.searcher.num_docs()
    }

    fn passage_at(&self, address: DocAddress) -> Result<Passage, CorpusError> {
        let stored: TantivyDocument = self.searcher.doc(address).map_err(corpus_error)?;
        let bytes = stored
            .get_first(self.fields.passage)
            .and_then(|value| value.as_bytes());
        serde_json::from_slice(bytes.unwrap_or_default()).map_err(corpus_error)
    }
}

impl Corpus for PassageIndex {
    fn search(&self, query: &PassageQuery) -> Result<Vec<Hit>, CorpusError> {
        let n_passages = usize::try_from(self.n_passages()).unwrap_or(usize::MAX);
        let limit = query.limit.min(n_passages);
        if limit == 0 {
            return Ok(Vec::new());
        }
        let by_score_then_place = TopDocs::with_limit(limit).tweak_score(|segment: &SegmentReader| {
            let places = segment
                .fast_fields()
                .u64(PLACE)
                .map(|column| column.first_or_default_col(u64::MAX));
            move |doc, score: Score| {
                let place = places.as_ref().map_or(u64::MAX, |places| places.get_val(doc));
                (score, Reverse(place))
            }
        });
        let found = self
            .searcher
            .search(&self.query(query), &by_score_then_place)
            .map_err(corpus_error)?;
        found
            .into_iter()
            .map(|((score, _), address)| {
                Ok(Hit {
                    passage: self.passage_at(address)?,
                    score,
                })
            })
            .collect()
    }

    fn frequency(&self, word: &str) -> Result<usize, CorpusError> {
        let keys = fold::query_keys(word);
        for field in [self.fields.body_folded, self.fields.context_folded] {
            let mut most = 0;
            for key in &keys {
                let term = Term::from_field_text(field, key);
                most = most.max(self.searcher.doc_freq(&term).map_err(corpus_error)?);
            }
            if most > 0 {
                return Ok(usize::try_from(most).unwrap_or(usize::MAX));
            }
        }
        Ok(0)
    }

    fn passages(&self, doc: &str) -> Result<Vec<Passage>, CorpusError> {
        let term = Term::from_field_text(self.fields.doc, doc);
        let query = TermQuery::new(term, IndexRecordOption::Basic);
        let addresses = self
            .searcher
            .search(&query, &DocSetCollector)
            .map_err(corpus_error)?;
        let passages: Result<Vec<Passage>, CorpusError> = addresses
            .into_iter()
            .map(|address| self.passage_at(address))
            .collect();
        let mut passages = passages?;
        passages.sort_by_key(|passage| passage.ordinal);
        Ok(passages)
    }
}

/// Writes the passages of all documents, in order, and makes them visible.
pub(super) fn write_all(index: &Index, fields: &Fields, documents: &[Document]) -> Result<(), IndexError> {
    // One thread writes while this one cuts passages: more would mix up the order.
    let mut writer: IndexWriter = index.writer_with_num_threads(1, WRITER_BUDGET)?;
    writer.set_merge_policy(Box::new(NoMergePolicy));
    let mut place = 0;
    for document in documents {
        for passage in cut_passages(document) {
            writer.add_document(fields.document(place, &passage)?)?;
            place += 1;
        }
    }
    writer.commit()?;
    writer.wait_merging_threads()?;
    Ok(())
}

fn corpus_error(error: impl std::fmt::Display) -> CorpusError {
    CorpusError {
        message: error.to_string(),
    }
}
