//! Documents opened for one question: their passages, and which of them may be quoted.

use std::collections::HashMap;

use super::addresses::holds_address;
use super::structure::{is_planted, untrusted_passages};
use crate::corpus::{Corpus, CorpusError, Passage};

/// One document in reading order.
#[derive(Debug)]
pub(crate) struct OpenDocument {
    pub(crate) doc: String,
    pub(crate) passages: Vec<Passage>,
    marks: Vec<bool>,
}

impl OpenDocument {
    fn open(corpus: &dyn Corpus, doc: &str) -> Result<Self, CorpusError> {
        let passages = corpus.passages(doc)?;
        let marks = untrusted_passages(&passages);
        Ok(Self {
            doc: doc.to_owned(),
            passages,
            marks,
        })
    }

    /// The place of a passage in `passages`.
    pub(crate) fn place(&self, passage: &Passage) -> Option<usize> {
        self.passages.iter().position(|it| it.ordinal == passage.ordinal)
    }

    /// The passage is not planted.
    pub(crate) fn is_trusted(&self, passage: &Passage) -> bool {
        let is_marked = self.place(passage).is_some_and(|place| self.marks[place]);
        !is_marked && !is_planted(&passage.text)
    }

    /// The passage is not planted and holds no address.
    pub(crate) fn is_quotable(&self, passage: &Passage) -> bool {
        self.is_trusted(passage) && !holds_address(&passage.text)
    }
}

/// The documents that a question has led to so far.
pub(crate) struct OpenDocuments<'a> {
    corpus: &'a dyn Corpus,
    by_name: HashMap<String, usize>,
    all: Vec<OpenDocument>,
}

impl<'a> OpenDocuments<'a> {
    pub(crate) fn new(corpus: &'a dyn Corpus) -> Self {
        Self {
            corpus,
            by_name: HashMap::new(),
            all: Vec::new(),
        }
    }

    /// Opens a document, once.
    pub(crate) fn open(&mut self, doc: &str) -> Result<&OpenDocument, CorpusError> {
        let place = match self.by_name.get(doc) {
            Some(place) => *place,
            None => {
                self.all.push(OpenDocument::open(self.corpus, doc)?);
                self.by_name.insert(doc.to_owned(), self.all.len() - 1);
                self.all.len() - 1
            }
        };
        Ok(&self.all[place])
    }

    /// All that were opened.
    pub(crate) fn all(&self) -> &[OpenDocument] {
        &self.all
    }
}
