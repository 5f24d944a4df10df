//! Records a stream as redacted text: in a spool file, and its last lines.

use std::path::{Path, PathBuf};

use gemicro_event::redact::{RedactStream, Redactor};
use gemicro_event::{ErrorKind, Failure};

use super::limits::RunLimits;
use super::outcome::StreamRecord;
use super::spool::Spool;
use super::tail::Tail;
use super::text::Decoder;

/// Records the two streams of one turn.
#[derive(Debug)]
pub(super) struct Captures {
    pub(super) stdout: Capture,
    pub(super) stderr: Capture,
}

impl Captures {
    /// Creates files with this prefix. The file for standard error is created with its first byte, because most agents
    /// print nothing there.
    pub(super) fn create(spool: &Path, limits: &RunLimits, redactor: &Redactor) -> Result<Self, Failure> {
        let file = |stream: &str| {
            let mut name = spool.as_os_str().to_owned();
            name.push(format!(".{stream}.log"));
            PathBuf::from(name)
        };
        let (head, tail) = (limits.spool_head, limits.spool_tail);
        let stdout = Spool::create(file("stdout"), head, tail).map_err(|error| {
            let message = format!("cannot write to {}: {error}", file("stdout").display());
            Failure::new(ErrorKind::StorageError, message)
        })?;
        Ok(Self {
            stdout: Capture::new(stdout, redactor),
            stderr: Capture::new(Spool::later(file("stderr"), head, tail), redactor),
        })
    }

    /// Keeps only the last lines, in memory.
    pub(super) fn nowhere() -> Self {
        let new = || Capture::new(Spool::nowhere(), &Redactor::default());
        Self {
            stdout: new(),
            stderr: new(),
        }
    }

    /// Removes the files, because the turn does not take place.
    pub(super) fn discard(self) {
        for capture in [self.stdout, self.stderr] {
            let (record, _) = capture.finish();
            if let Some(file) = record.file {
                let _ = std::fs::remove_file(file);
            }
        }
    }
}

#[derive(Debug)]
pub(super) struct Capture {
    decoder: Decoder,
    /// Holds back text that may be the start of a secret, so that none is written in two halves.
    redaction: RedactStream,
    spool: Spool,
    tail: Tail,
    n_bytes: u64,
}

impl Capture {
    pub(super) fn new(spool: Spool, redactor: &Redactor) -> Self {
        Self {
            decoder: Decoder::default(),
            redaction: redactor.stream(),
            spool,
            tail: Tail::default(),
            n_bytes: 0,
        }
    }

    /// Records the next bytes.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.n_bytes += bytes.len() as u64;
        let text = self.redaction.push(&self.decoder.push(bytes));
        self.spool.push(text.as_bytes());
        self.tail.push(&text);
    }

    /// Writes the held-back text; returns the record.
    pub(super) fn finish(self) -> (StreamRecord, Tail) {
        let Self {
            decoder,
            mut redaction,
            mut spool,
            mut tail,
            n_bytes,
        } = self;
        let mut rest = redaction.push(&decoder.finish());
        rest.push_str(&redaction.finish());
        spool.push(rest.as_bytes());
        tail.push(&rest);
        let (file, n_dropped) = spool.finish();
        let record = StreamRecord {
            n_bytes,
            n_dropped,
            file,
        };
        (record, tail)
    }
}
