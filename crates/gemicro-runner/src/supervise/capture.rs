//! What is kept of one stream: its bytes as redacted text, in a spool file and as last lines.

use gemicro_event::redact::{RedactStream, Redactor};

use super::outcome::StreamRecord;
use super::spool::Spool;
use super::tail::Tail;
use super::text::Decoder;

/// Keeps one stream.
#[derive(Debug)]
pub(super) struct Capture {
    decoder: Decoder,
    /// Holds back what may be the start of a secret, so none is written in two halves.
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

    /// Takes the next bytes.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.n_bytes += bytes.len() as u64;
        let text = self.redaction.push(&self.decoder.push(bytes));
        self.spool.push(text.as_bytes());
        self.tail.push(&text);
    }

    /// Writes what was held back; returns what there is.
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
            file: Some(file),
        };
        (record, tail)
    }
}
