//! Everything a run reads, frozen: [`take_snapshot`].
//!
//! Files are read once; what was read is what is searched and cited, whatever happens to the files later.
//! A file that cannot be read is listed as skipped and stops nothing.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use gemicro_core::corpus::Document;

use super::ledger::LedgerEntry;
use crate::error::SourceError;
use crate::limits::ReadLimits;
use crate::parse::{Format, parse};
use crate::read::{ReadError, ReadText, read_file};
use crate::walk::{Candidate, Skipped, find_files};

/// How many threads read and parse.
const N_READERS: usize = 2;

/// All documents of the sources at one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// Documents by id.
    pub documents: Vec<Document>,
    /// Files that were not read, with the reason, by path.
    pub skipped: Vec<Skipped>,
    /// Where each document comes from, in the order of `documents`.
    pub ledger: Vec<LedgerEntry>,
}

/// Reads all sources. `read_at` is the moment that the ledger names, in RFC 3339.
pub fn take_snapshot(
    sources: &[PathBuf],
    limits: &ReadLimits,
    read_at: &str,
) -> Result<Snapshot, SourceError> {
    let found = find_files(sources, limits)?;
    let mut snapshot = Snapshot {
        documents: Vec::new(),
        skipped: found.skipped,
        ledger: Vec::new(),
    };
    for (candidate, outcome) in found.candidates.iter().zip(load_all(&found.candidates, limits)) {
        match outcome {
            Ok((document, read)) => {
                snapshot
                    .ledger
                    .push(LedgerEntry::new(candidate, &document, &read, read_at));
                snapshot.documents.push(document);
            }
            Err(reason) => snapshot.skipped.push(Skipped {
                path: candidate.path.clone(),
                reason,
            }),
        }
    }
    snapshot.skipped.sort_by(|a, b| a.path.cmp(&b.path));
    if snapshot.documents.is_empty() {
        return Err(nothing_readable(sources, &snapshot.skipped));
    }
    Ok(snapshot)
}

/// What is kept of a reading besides its text.
pub(super) struct Reading {
    pub(super) media: &'static str,
    pub(super) modified_at: Option<std::time::SystemTime>,
    pub(super) changed_while_read: bool,
}

type Loaded = Result<(Document, Reading), String>;

/// One outcome per candidate, in their order.
fn load_all(candidates: &[Candidate], limits: &ReadLimits) -> Vec<Loaded> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, Loaded)>> = Mutex::new(Vec::with_capacity(candidates.len()));
    let read_some = || {
        let mut mine = Vec::new();
        loop {
            let idx = next.fetch_add(1, Ordering::Relaxed);
            let Some(candidate) = candidates.get(idx) else {
                break;
            };
            mine.push((idx, load(candidate, limits)));
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

fn load(candidate: &Candidate, limits: &ReadLimits) -> Loaded {
    let is_pdf = candidate
        .path
        .extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("pdf"));
    if is_pdf {
        return Err(ReadError::Pdf.to_string());
    }
    let ReadText {
        text,
        modified_at,
        changed_while_read,
    } = read_file(&candidate.path, limits.max_file_bytes).map_err(|error| error.to_string())?;
    let media = Format::of(&candidate.doc, &text).media_type();
    // A fault in a parser library costs one file, not the run.
    let document = catch_unwind(AssertUnwindSafe(|| parse(&candidate.doc, text)))
        .map_err(|_| "its parser failed".to_owned())?;
    Ok((
        document,
        Reading {
            media,
            modified_at,
            changed_while_read,
        },
    ))
}

fn nothing_readable(sources: &[PathBuf], skipped: &[Skipped]) -> SourceError {
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
