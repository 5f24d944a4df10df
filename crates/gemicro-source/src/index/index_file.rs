//! The stored form of an index: [`IndexFile`], in memory or in a file that is read in parts.
//!
//! ```text
//! magic · passages as JSON · their sizes · each field: lists, dictionary, lengths · table of contents · its length · SHA-256
//! ```
//!
//! Dictionaries, lengths and offsets are kept in memory; lists and passages are read when they are needed.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;

use gemicro_core::corpus::Passage;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::dictionary::{Dictionary, push_entry};
use super::postings::{FieldBuilder, PostingList, push_number, read_list, take_number};

/// Raised when fields, keys or the layout change: an older file then counts as damaged and is built again.
const MAGIC: &[u8; 16] = b"gemicro index 4\n";
const SHA256_BYTES: u64 = 32;

#[derive(Debug, Serialize, Deserialize)]
struct Contents {
    /// The size of each passage in bytes.
    passage_sizes: Section,
    /// Each document and its first passage; passages of a document are adjacent.
    documents: Vec<(String, u32)>,
    fields: Vec<FieldContents>,
}

#[derive(Debug, Serialize, Deserialize)]
struct FieldContents {
    has_positions: bool,
    lists_at: u64,
    /// `n` is the number of keys.
    dictionary: Section,
    /// The number of keys in each passage.
    lengths: Section,
}

/// A part of the file that contains `n` items.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Section {
    at: u64,
    n_bytes: u64,
    n: u32,
}

/// The storage of the bytes.
#[derive(Debug)]
enum IndexBytes {
    Memory(Vec<u8>),
    File(File),
}

#[derive(Debug)]
pub(super) struct IndexFile {
    bytes: IndexBytes,
    /// Offset of each passage, and the end of the last one.
    offsets: Vec<u64>,
    /// Each document and its first passage.
    documents: Vec<(String, u32)>,
    fields: Vec<IndexField>,
}

#[derive(Debug)]
struct IndexField {
    has_positions: bool,
    dictionary: Dictionary,
    lengths: Vec<u32>,
}

pub(super) struct IndexWriter<'a> {
    out: HashingWriter<'a>,
    passage_sizes: Vec<u32>,
    documents: Vec<(String, u32)>,
}

struct HashingWriter<'a> {
    out: &'a mut dyn Write,
    hash: Sha256,
    at: u64,
}

impl HashingWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)?;
        self.hash.update(bytes);
        self.at += bytes.len() as u64;
        Ok(())
    }
}

impl<'a> IndexWriter<'a> {
    pub(super) fn new(out: &'a mut dyn Write) -> io::Result<Self> {
        let mut out = HashingWriter {
            out,
            hash: Sha256::new(),
            at: 0,
        };
        out.write(MAGIC)?;
        Ok(Self {
            out,
            passage_sizes: Vec::new(),
            documents: Vec::new(),
        })
    }

    /// Adds the next passage and returns its number.
    pub(super) fn add(&mut self, passage: &Passage) -> io::Result<u32> {
        let place = u32::try_from(self.passage_sizes.len()).map_err(io::Error::other)?;
        if self.documents.last().is_none_or(|(doc, _)| *doc != passage.doc) {
            self.documents.push((passage.doc.clone(), place));
        }
        let bytes = serde_json::to_vec(passage)?;
        self.passage_sizes
            .push(u32::try_from(bytes.len()).map_err(io::Error::other)?);
        self.out.write(&bytes)?;
        Ok(place)
    }

    /// Writes the fields and everything needed to read them.
    pub(super) fn finish(mut self, fields: Vec<FieldBuilder>) -> io::Result<()> {
        let sizes = std::mem::take(&mut self.passage_sizes);
        let passage_sizes = self.write_numbers(&sizes)?;
        let fields = fields.into_iter().map(|field| self.write_field(field));
        let fields: Vec<FieldContents> = fields.collect::<io::Result<_>>()?;
        let contents = Contents {
            passage_sizes,
            documents: self.documents,
            fields,
        };
        let contents = serde_json::to_vec(&contents)?;
        self.out.write(&contents)?;
        self.out.write(&(contents.len() as u64).to_le_bytes())?;
        let hash = self.out.hash.finalize();
        self.out.out.write_all(&hash)?;
        self.out.out.flush()
    }

    fn write_field(&mut self, mut field: FieldBuilder) -> io::Result<FieldContents> {
        let has_positions = field.has_positions;
        let lengths = std::mem::take(&mut field.lengths);
        let lists_at = self.out.at;
        let mut dictionary = Vec::new();
        let lists = field.finish();
        let n_keys = u32::try_from(lists.len()).map_err(io::Error::other)?;
        for list in lists {
            push_entry(&mut dictionary, &list).ok_or_else(|| io::Error::other("a word occurs too often"))?;
            self.out.write(&list.bytes)?;
        }
        let dictionary_at = self.out.at;
        self.out.write(&dictionary)?;
        Ok(FieldContents {
            has_positions,
            lists_at,
            dictionary: Section {
                at: dictionary_at,
                n_bytes: dictionary.len() as u64,
                n: n_keys,
            },
            lengths: self.write_numbers(&lengths)?,
        })
    }

    fn write_numbers(&mut self, numbers: &[u32]) -> io::Result<Section> {
        let mut bytes = Vec::with_capacity(numbers.len());
        for number in numbers {
            push_number(&mut bytes, *number);
        }
        let section = Section {
            at: self.out.at,
            n_bytes: bytes.len() as u64,
            n: u32::try_from(numbers.len()).map_err(io::Error::other)?,
        };
        self.out.write(&bytes)?;
        Ok(section)
    }
}

impl IndexFile {
    /// An index over bytes that were just written.
    pub(super) fn in_memory(bytes: Vec<u8>) -> Result<Self, String> {
        let n_bytes = bytes.len() as u64;
        Self::read(IndexBytes::Memory(bytes), n_bytes)
    }

    /// Opens a file and checks that it is complete.
    pub(super) fn open(path: &Path) -> Result<Self, String> {
        let file = File::open(path).map_err(|error| error.to_string())?;
        let n_bytes = file.metadata().map_err(|error| error.to_string())?.len();
        check_hash(&file, n_bytes)?;
        Self::read(IndexBytes::File(file), n_bytes)
    }

    fn read(bytes: IndexBytes, n_bytes: u64) -> Result<Self, String> {
        let too_short = || "it is too short".to_owned();
        let magic = bytes.read(0, MAGIC.len() as u64);
        if !magic.is_ok_and(|magic| magic == MAGIC) {
            return Err("it has an unknown format".to_owned());
        }
        let end = n_bytes.checked_sub(SHA256_BYTES + 8).ok_or_else(too_short)?;
        let length = bytes.read(end, 8).map_err(|error| error.message())?;
        let length = u64::from_le_bytes(length.try_into().map_err(|_| too_short())?);
        let start = end.checked_sub(length).ok_or_else(too_short)?;
        let contents = bytes.read(start, length).map_err(|error| error.message())?;
        let contents: Contents = serde_json::from_slice(&contents).map_err(|error| error.to_string())?;
        let sizes = bytes.numbers(contents.passage_sizes)?;
        let mut offsets = vec![MAGIC.len() as u64];
        for size in sizes {
            offsets.push(offsets[offsets.len() - 1] + u64::from(size));
        }
        let fields = contents.fields.iter().map(|field| {
            let section = field.dictionary;
            let dictionary = bytes.read(section.at, section.n_bytes);
            let dictionary = dictionary.map_err(|error| error.message())?;
            let dictionary = Dictionary::read(&dictionary, section.n, field.lists_at);
            Ok(IndexField {
                has_positions: field.has_positions,
                dictionary: dictionary.ok_or_else(|| "a dictionary is damaged".to_owned())?,
                lengths: bytes.numbers(field.lengths)?,
            })
        });
        let fields = fields.collect::<Result<_, String>>()?;
        Ok(Self {
            bytes,
            offsets,
            documents: contents.documents,
            fields,
        })
    }

    pub(super) fn n_passages(&self) -> u32 {
        u32::try_from(self.offsets.len() - 1).unwrap_or(u32::MAX)
    }

    pub(super) fn passage(&self, place: u32) -> Result<Passage, IndexReadError> {
        let offsets = self.offsets.get(place as usize..);
        let Some([start, end, ..]) = offsets else {
            return Err(IndexReadError::NoSuchPassage);
        };
        let bytes = self.bytes.read(*start, end.saturating_sub(*start))?;
        serde_json::from_slice(&bytes).map_err(|error| IndexReadError::Io(error.into()))
    }

    /// The numbers of a document's passages.
    pub(super) fn places_of(&self, doc: &str) -> std::ops::Range<u32> {
        let documents = &self.documents;
        let Some(idx) = documents.iter().position(|(known, _)| known == doc) else {
            return 0..0;
        };
        let next = documents.get(idx + 1);
        documents[idx].1..next.map_or_else(|| self.n_passages(), |(_, first)| *first)
    }

    /// Number of passages in which a key occurs in a field.
    pub(super) fn n_passages_with(&self, field: usize, key: &str) -> u32 {
        let entry = self.fields[field].dictionary.find(key);
        entry.map_or(0, |entry| entry.n_passages)
    }

    /// The passages with a key, ascending.
    pub(super) fn list(&self, field: usize, key: &str) -> Result<PostingList, IndexReadError> {
        let field = &self.fields[field];
        let Some(entry) = field.dictionary.find(key) else {
            return Ok(PostingList::default());
        };
        let bytes = self.bytes.read(entry.list_at, u64::from(entry.list_bytes))?;
        read_list(&bytes, entry.n_passages, field.has_positions).ok_or(IndexReadError::NoSuchPassage)
    }

    /// The number of keys of each passage in a field.
    pub(super) fn lengths(&self, field: usize) -> &[u32] {
        &self.fields[field].lengths
    }
}

/// Why a part of an index could not be read.
#[derive(Debug)]
pub(super) enum IndexReadError {
    Io(io::Error),
    NoSuchPassage,
}

impl IndexReadError {
    pub(super) fn message(&self) -> String {
        match self {
            Self::Io(error) => error.to_string(),
            Self::NoSuchPassage => "it refers to a missing passage".to_owned(),
        }
    }
}

impl IndexBytes {
    fn numbers(&self, section: Section) -> Result<Vec<u32>, String> {
        let bytes = self
            .read(section.at, section.n_bytes)
            .map_err(|error| error.message())?;
        let mut rest = bytes.as_slice();
        let numbers = (0..section.n).map(|_| take_number(&mut rest));
        let numbers: Option<Vec<u32>> = numbers.collect();
        numbers.ok_or_else(|| "a row of numbers is damaged".to_owned())
    }

    fn read(&self, at: u64, n_bytes: u64) -> Result<Vec<u8>, IndexReadError> {
        let bounds = usize::try_from(at).ok().zip(usize::try_from(n_bytes).ok());
        let (start, n_bytes) = bounds.ok_or(IndexReadError::NoSuchPassage)?;
        match self {
            Self::Memory(bytes) => {
                let piece = start.checked_add(n_bytes).and_then(|end| bytes.get(start..end));
                piece.map(<[u8]>::to_vec).ok_or(IndexReadError::NoSuchPassage)
            }
            Self::File(file) => {
                let mut piece = vec![0; n_bytes];
                file.read_exact_at(&mut piece, at).map_err(IndexReadError::Io)?;
                Ok(piece)
            }
        }
    }
}

fn check_hash(file: &File, n_bytes: u64) -> Result<(), String> {
    let n_hashed = n_bytes
        .checked_sub(SHA256_BYTES)
        .ok_or_else(|| "it is too short".to_owned())?;
    let mut reader = file.take(n_hashed);
    let mut hash = Sha256::new();
    let mut piece = vec![0; 1 << 17];
    loop {
        match reader.read(&mut piece) {
            Ok(0) => break,
            Ok(n) => hash.update(&piece[..n]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.to_string()),
        }
    }
    let mut expected = [0; SHA256_BYTES as usize];
    file.read_exact_at(&mut expected, n_hashed)
        .map_err(|error| error.to_string())?;
    match hash.finalize()[..] == expected {
        true => Ok(()),
        false => Err("its checksum is wrong".to_owned()),
    }
}
