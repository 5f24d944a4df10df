//! Sources in memory: every paragraph is a passage, every shared word is a point.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::future::BoxFuture;
use gemicro_core::blob::BlobId;
use gemicro_core::corpus::{
    Block, BlockKind, Corpus, CorpusError, CorpusRequest, Document, Hit, Library, LibraryCard, Page, Passage,
    PassageQuery,
};
use gemicro_event::{ErrorKind, Failure, StreamId};

/// A library of a few texts.
pub(crate) struct MemoryLibrary {
    corpus: Arc<Texts>,
    pub(crate) n_reads: AtomicUsize,
    /// Pages of its little web.
    web: BTreeMap<String, String>,
}

struct Texts {
    passages: Vec<Passage>,
    n_bytes: u64,
    n_documents: usize,
}

impl MemoryLibrary {
    pub(crate) fn new(documents: &[(&str, &str)]) -> Arc<Self> {
        let passages = documents
            .iter()
            .flat_map(|(doc, text)| paragraphs(doc, text))
            .collect();
        let n_bytes = documents.iter().map(|(_, text)| text.len() as u64).sum();
        let corpus = Arc::new(Texts {
            passages,
            n_bytes,
            n_documents: documents.len(),
        });
        Arc::new(Self {
            corpus,
            n_reads: AtomicUsize::new(0),
            web: BTreeMap::new(),
        })
    }

    /// A library without texts that knows these pages.
    pub(crate) fn of_pages(pages: &[(&str, &str)]) -> Arc<Self> {
        let web = pages
            .iter()
            .map(|(url, text)| ((*url).to_owned(), (*text).to_owned()));
        let web = web.collect();
        let empty = Self::new(&[]);
        let corpus = empty.corpus.clone();
        Arc::new(Self {
            corpus,
            n_reads: AtomicUsize::new(0),
            web,
        })
    }
}

fn paragraphs(doc: &str, text: &str) -> Vec<Passage> {
    let mut offset = 0;
    let mut passages = Vec::new();
    for part in text.split_inclusive("\n\n") {
        let body = part.trim_end();
        passages.push(Passage {
            doc: doc.to_owned(),
            ordinal: u32::try_from(passages.len()).expect("few passages"),
            range: offset..offset + body.len(),
            text: body.to_owned(),
            kind: BlockKind::Paragraph,
            heading: None,
            title: doc.trim_end_matches(".md").to_owned(),
            date: None,
        });
        offset += part.len();
    }
    passages
}

fn words(text: &str) -> Vec<String> {
    let words = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

impl Corpus for Texts {
    fn search(&self, query: &PassageQuery) -> Result<Vec<Hit>, CorpusError> {
        let wanted: Vec<String> = query.terms.iter().flat_map(|term| words(term)).collect();
        let mut hits: Vec<Hit> = Vec::new();
        for passage in &self.passages {
            let whole = format!("{} {}", passage.title, passage.text).to_lowercase();
            if !query
                .phrases
                .iter()
                .all(|phrase| whole.contains(&phrase.to_lowercase()))
            {
                continue;
            }
            let known = words(&passage.text);
            let score: f32 = wanted
                .iter()
                .map(|word| if known.contains(word) { 1.0 } else { 0.0 })
                .sum();
            if score > 0.0 || !query.phrases.is_empty() {
                hits.push(Hit {
                    passage: passage.clone(),
                    score,
                });
            }
        }
        hits.sort_by(|a, b| b.score.total_cmp(&a.score));
        hits.truncate(query.limit);
        Ok(hits)
    }

    fn passages(&self, doc: &str) -> Result<Vec<Passage>, CorpusError> {
        Ok(self
            .passages
            .iter()
            .filter(|passage| passage.doc == doc)
            .cloned()
            .collect())
    }
}

impl Library for MemoryLibrary {
    fn read(&self, _: &StreamId, wanted: CorpusRequest) -> BoxFuture<'_, Result<LibraryCard, Failure>> {
        self.n_reads.fetch_add(1, Ordering::SeqCst);
        Box::pin(async move {
            Ok(LibraryCard {
                n_documents: self.corpus.n_documents,
                n_bytes: self.corpus.n_bytes,
                pack: BlobId::of(wanted.paths.join("\n").as_bytes()),
                ledger: BlobId::of(b"ledger"),
                skipped: Vec::new(),
                n_skipped: 0,
            })
        })
    }

    fn fetch(&self, _: &StreamId, url: &str) -> BoxFuture<'_, Result<Page, Failure>> {
        let found = self.web.get(url).map(|text| Page {
            url: url.to_owned(),
            sha256: BlobId::of(text.as_bytes()).to_string(),
            n_bytes: text.len() as u64,
            blob: BlobId::of(url.as_bytes()),
            document: Document {
                doc: url.to_owned(),
                title: "A page".to_owned(),
                date: None,
                text: text.clone(),
                blocks: vec![Block {
                    kind: BlockKind::Paragraph,
                    range: 0..text.len(),
                }],
            },
        });
        let missing = || Failure::new(ErrorKind::NotFound, format!("{url} is not there"));
        let found = found.ok_or_else(missing);
        Box::pin(async move { found })
    }

    fn open(&self, _: &StreamId, _: &BlobId) -> BoxFuture<'_, Result<Arc<dyn Corpus>, Failure>> {
        let corpus: Arc<dyn Corpus> = self.corpus.clone();
        Box::pin(async move { Ok(corpus) })
    }
}
