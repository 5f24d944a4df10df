//! The texts that research reads: documents, passages, and the port to search them.
//!
//! The main types are [`Document`] (made by `gemicro-source`), [`Passage`] and the port [`Corpus`].
//! Nothing here opens a file; a corpus is a frozen snapshot, so the same query gives the same answer
//! for as long as the run lives.

use std::ops::Range;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use gemicro_event::{ErrorKind, Failure, StreamId};
use serde::{Deserialize, Serialize};

use crate::blob::BlobId;

/// One document in its stored form: the text that citations are checked against, and its parts.
///
/// `text` is the decoded file without byte order mark, zero-width, bidi and tag characters; for HTML it is the text a
/// reader sees. Text that no reader sees (comments, hidden elements, front matter, words split by invisible characters)
/// may be in `text`, but no block covers it: only blocks are searched and cited.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document {
    /// Path relative to the source folder, with `/`; for a single file, the file name.
    pub doc: String,
    /// First heading, `<title>` or, failing both, the file name without its extension.
    pub title: String,
    /// The document's own date, as `YYYY-MM-DD`, if it states one near its top.
    pub date: Option<String>,
    /// The stored text, which block ranges and citations point into.
    pub text: String,
    /// Readable parts in reading order; ranges are byte ranges of `text` and never overlap.
    pub blocks: Vec<Block>,
}

/// One readable part of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// What sort of block it is.
    pub kind: BlockKind,
    /// Byte range in the document's text.
    pub range: Range<usize>,
}

/// The kind of a block; decides how it may be quoted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BlockKind {
    /// A heading: context for what follows, never an answer by itself.
    Heading,
    /// Running text of one paragraph.
    Paragraph,
    /// One item of a list.
    ListItem,
    /// One row of a table.
    TableRow,
    /// A comment or documentation string in source code.
    Comment,
    /// Source code or a code block.
    Code,
    /// A `key: value` line, such as in a configuration file.
    KeyValue,
}

/// The unit of search: a block, or a part of a long one cut at sentence ends (at most about 1,200 bytes).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passage {
    /// The document that contains it.
    pub doc: String,
    /// Its index among the passages of its document, from 0.
    pub ordinal: u32,
    /// Byte range in the document's stored text.
    pub range: Range<usize>,
    /// The stored text of that range, unchanged.
    pub text: String,
    /// What kind of block it comes from.
    pub kind: BlockKind,
    /// The nearest heading above it.
    pub heading: Option<String>,
    /// Title of its document.
    pub title: String,
    /// Date of its document, as `YYYY-MM-DD`.
    pub date: Option<String>,
}

/// A search query.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PassageQuery {
    /// Each must occur in the passage or in its heading or title, as consecutive words; case is ignored, and words are
    /// not stemmed.
    pub phrases: Vec<String>,
    /// Words that raise the score if they occur, in any form that the index treats as equal.
    pub terms: Vec<String>,
    /// Maximum number of passages.
    pub limit: usize,
}

/// A passage found, best first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Hit {
    /// The passage that the search found.
    pub passage: Passage,
    /// BM25 score; comparable within one query only.
    pub score: f32,
}

/// The search index could not answer.
#[derive(Debug, Clone, thiserror::Error)]
#[error("the search index failed: {message}")]
pub struct CorpusError {
    /// The message of the index.
    pub message: String,
}

/// A frozen set of documents that can be searched.
pub trait Corpus: Send + Sync {
    /// Passages for a query, best first; ties by document and ordinal, so the order is stable.
    fn search(&self, query: &PassageQuery) -> Result<Vec<Hit>, CorpusError>;

    /// Number of passages that contain a word, in any form that the index treats as equal; at most 100.
    fn frequency(&self, word: &str) -> Result<usize, CorpusError> {
        let query = PassageQuery {
            phrases: Vec::new(),
            terms: vec![word.to_owned()],
            limit: 100,
        };
        Ok(self.search(&query)?.len())
    }

    /// All passages of one document in reading order; empty when the document is unknown.
    fn passages(&self, doc: &str) -> Result<Vec<Passage>, CorpusError>;
}

/// Whether a source is a web address. Anything else is a path.
#[must_use]
pub fn is_url(source: &str) -> bool {
    let starts_with = |scheme: &str| {
        let start = source.as_bytes().get(..scheme.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(scheme.as_bytes()))
    };
    starts_with("http://") || starts_with("https://")
}

/// A file that was skipped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct SkippedSource {
    /// Path of the file that was left out.
    pub path: String,
    /// Why, in a sentence for people.
    pub reason: String,
}

/// Summary of reading the sources.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LibraryCard {
    /// Number of documents that could be read.
    pub n_documents: usize,
    /// Total size of the stored texts in bytes.
    pub n_bytes: u64,
    /// Blob with the stored texts.
    pub pack: BlobId,
    /// Blob with the source ledger.
    pub ledger: BlobId,
    /// The first skipped files, with the reason.
    pub skipped: Vec<SkippedSource>,
    /// Total number of skipped files.
    pub n_skipped: usize,
}

/// The sources that a run reads before it begins.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CorpusRequest {
    /// Folders, files and web addresses that the user named.
    #[serde(default)]
    pub paths: Vec<String>,
    /// Texts that an earlier run stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pack: Option<BlobId>,
    /// Where those texts come from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ledger: Option<BlobId>,
    /// Pages that an earlier run fetched, as blobs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pages: Vec<BlobId>,
}

/// A web page in its stored form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Its final address, after redirects.
    pub url: String,
    /// SHA-256 of its bytes, in hex.
    pub sha256: String,
    /// Its size in bytes.
    pub n_bytes: u64,
    /// The blob that holds it.
    pub blob: BlobId,
    /// The page as a document, without its markup.
    pub document: Document,
}

/// The port to sources: reads them once, stores the texts, and opens them again for later steps.
pub trait Library: Send + Sync {
    /// Reads the requested sources and stores the texts for a run.
    fn read(&self, run: &StreamId, wanted: CorpusRequest) -> BoxFuture<'_, Result<LibraryCard, Failure>>;

    /// Fetches a page that an answer cites and stores its text for a run, under the address rules. If a library cannot
    /// fetch, the citation rests on the provider's text.
    fn fetch(&self, run: &StreamId, url: &str) -> BoxFuture<'_, Result<Page, Failure>> {
        let message = format!("{url} was named for run {run}, but nothing here fetches pages");
        Box::pin(async move { Err(Failure::new(ErrorKind::NotFound, message)) })
    }

    /// Opens texts that were stored, never the files they came from.
    fn open(&self, run: &StreamId, pack: &BlobId) -> BoxFuture<'_, Result<Arc<dyn Corpus>, Failure>>;
}
