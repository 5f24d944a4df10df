//! Reads everything that a run uses, frozen at one moment: [`take_snapshot`].
//!
//! Files are read once; later changes to them do not affect what is searched and cited. A file that cannot be read is
//! listed as skipped, and the rest is still read.

use std::collections::HashSet;
use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::SystemTime;

use gemicro_core::corpus::Document;

use super::ledger::LedgerEntry;
use crate::error::SourceError;
use crate::limits::ReadLimits;
use crate::office::{OfficeFormat, ReaderProgram, read_in_child};
use crate::parse::{Format, parse};
use crate::read::{ReadError, ReadText, read_file, read_steady, stamp_of};
use crate::walk::{FoundFile, SkippedFile, find_files, os_reason};

/// Number of threads that read and parse.
const N_READERS: usize = 2;

/// All documents of the sources at one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// Documents by id.
    pub documents: Vec<Document>,
    /// Files that were not read, with the reason, by path.
    pub skipped: Vec<SkippedFile>,
    /// The origin of each document, in the order of `documents`.
    pub ledger: Vec<LedgerEntry>,
}

/// Reads all sources. `reader` reads PDF, office files, books and mail; without one they are skipped. `read_at` is the
/// time recorded in the ledger, in RFC 3339.
pub fn take_snapshot(
    sources: &[PathBuf],
    limits: &ReadLimits,
    reader: Option<&ReaderProgram>,
    read_at: &str,
) -> Result<Snapshot, SourceError> {
    let found = find_files(sources, limits)?;
    let mut snapshot = Snapshot {
        documents: Vec::new(),
        skipped: found.skipped,
        ledger: Vec::new(),
    };
    let files = LoadFiles {
        limits,
        reader,
        n_office_bytes: AtomicU64::new(0),
    };
    let mut ids: HashSet<String> = found.candidates.iter().map(|it| it.doc.clone()).collect();
    for (candidate, outcome) in found.candidates.iter().zip(files.load_all(&found.candidates)) {
        let mut skip = |reason: String| {
            snapshot.skipped.push(SkippedFile {
                path: candidate.path.clone(),
                reason,
            });
        };
        match outcome {
            Ok(loaded) => {
                loaded.left_out.into_iter().for_each(&mut skip);
                for document in loaded.documents {
                    if document.doc != candidate.doc && !ids.insert(document.doc.clone()) {
                        skip(format!("another document is called {}", document.doc));
                        continue;
                    }
                    let entry = LedgerEntry::new(candidate, &document, &loaded.metadata, read_at);
                    snapshot.ledger.push(entry);
                    snapshot.documents.push(document);
                }
            }
            Err(reason) => skip(reason),
        }
    }
    snapshot.skipped.sort_by(|a, b| a.path.cmp(&b.path));
    if snapshot.documents.is_empty() {
        return Err(nothing_readable(sources, &snapshot.skipped));
    }
    Ok(snapshot)
}

/// Facts about a file besides its text.
pub(super) struct FileMetadata {
    pub(super) media: &'static str,
    pub(super) modified_at: Option<SystemTime>,
    pub(super) changed_while_read: bool,
}

/// The result of loading one file.
struct LoadedFile {
    /// One, or one per page, slide or sheet.
    documents: Vec<Document>,
    metadata: FileMetadata,
    /// Message about content that was not read.
    left_out: Option<String>,
}

/// Settings and state for loading files.
struct LoadFiles<'a> {
    limits: &'a ReadLimits,
    reader: Option<&'a ReaderProgram>,
    /// Bytes of text from packed files, counted because their file size does not show it.
    n_office_bytes: AtomicU64,
}

impl LoadFiles<'_> {
    /// One result per candidate, in the same order.
    fn load_all(&self, candidates: &[FoundFile]) -> Vec<Result<LoadedFile, String>> {
        let next = AtomicUsize::new(0);
        let done = Mutex::new(Vec::with_capacity(candidates.len()));
        let read_some = || {
            let mut mine = Vec::new();
            loop {
                let idx = next.fetch_add(1, Ordering::Relaxed);
                let Some(candidate) = candidates.get(idx) else {
                    break;
                };
                mine.push((idx, self.load(candidate)));
            }
            done.lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner)
                .append(&mut mine);
        };
        thread::scope(|scope| {
            for _ in 1..N_READERS.min(candidates.len()) {
                scope.spawn(read_some);
            }
            read_some();
        });
        let mut done = done
            .into_inner()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        done.sort_by_key(|(idx, _)| *idx);
        done.into_iter().map(|(_, loaded)| loaded).collect()
    }

    fn load(&self, candidate: &FoundFile) -> Result<LoadedFile, String> {
        if let Some(format) = OfficeFormat::of(&candidate.doc) {
            return self.load_office(candidate, format);
        }
        let ReadText {
            text,
            modified_at,
            changed_while_read,
        } = match read_file(&candidate.path, self.limits.max_file_bytes) {
            Err(ReadError::Pdf) => return self.load_office(candidate, OfficeFormat::Pdf),
            read => read.map_err(|error| error.to_string())?,
        };
        let media = Format::of(&candidate.doc, &text).media_type();
        // A fault in a parser library loses one file, not the run.
        let document = catch_unwind(AssertUnwindSafe(|| parse(&candidate.doc, text)))
            .map_err(|_| "its parser failed".to_owned())?;
        Ok(LoadedFile {
            documents: vec![document],
            metadata: FileMetadata {
                media,
                modified_at,
                changed_while_read,
            },
            left_out: None,
        })
    }

    fn load_office(&self, candidate: &FoundFile, format: OfficeFormat) -> Result<LoadedFile, String> {
        let Some(reader) = self.reader else {
            return Err("only the gemicro program reads this format".to_owned());
        };
        let name = candidate.doc.rsplit('/').next().unwrap_or(&candidate.doc);
        let read = || read_in_child(reader, name, File::open(&candidate.path)?);
        let (answer, stamp, changed_while_read) =
            read_steady(|| stamp_of(&candidate.path), read).map_err(|error| os_reason(&error))?;
        let mut found = answer?;
        for document in &mut found.documents {
            document.doc = match document.doc.as_str() {
                "" => candidate.doc.clone(),
                place => format!("{}, {place}", candidate.doc),
            };
        }
        let n_bytes: u64 = found.documents.iter().map(|it| it.text.len() as u64).sum();
        let n_before = self.n_office_bytes.fetch_add(n_bytes, Ordering::Relaxed);
        if n_before + n_bytes > self.limits.max_total_bytes {
            let limit = self.limits.max_total_bytes;
            return Err(format!("over the limit of {limit} bytes for all files"));
        }
        Ok(LoadedFile {
            documents: found.documents,
            metadata: FileMetadata {
                media: format.media_type(),
                modified_at: stamp.modified_at,
                changed_while_read,
            },
            left_out: found.left_out,
        })
    }
}

fn nothing_readable(sources: &[PathBuf], skipped: &[SkippedFile]) -> SourceError {
    let names: Vec<String> = sources
        .iter()
        .map(|source| source.display().to_string())
        .collect();
    let why = match skipped.first() {
        Some(first) => {
            let path = first.path.display();
            format!("{} skipped, the first ({path}): {}", skipped.len(), first.reason)
        }
        None => "no files".to_owned(),
    };
    SourceError::NothingReadable {
        sources: names.join(", "),
        why,
    }
}
