//! A file that keeps the start and the end of a stream of any length.
//!
//! The start is written directly. The rest of the file is a ring buffer; [`Spool::finish`] puts it in order, so that a
//! finished file reads from start to end. Writes are synchronous: chunks are small and go to the page cache, so a task
//! per chunk would cost more than the write.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// The start and the end of one stream.
#[derive(Debug)]
pub(super) struct Spool {
    /// Path of the file, once it is created.
    path: Option<PathBuf>,
    sink: SpoolSink,
    head: u64,
    tail: u64,
    n_bytes: u64,
    n_lost: u64,
}

/// The destination of the bytes.
#[derive(Debug)]
enum SpoolSink {
    /// A file that is created with the first byte.
    Later(PathBuf),
    File(File),
    /// Nowhere: not wanted, or the file failed. Bytes are dropped and counted.
    Nowhere,
}

impl Spool {
    /// Creates a file that only the user can read.
    pub(super) fn create(path: PathBuf, head: u64, tail: u64) -> std::io::Result<Self> {
        let file = new_file(&path)?;
        Ok(Self {
            path: Some(path),
            ..Self::new(SpoolSink::File(file), head, tail)
        })
    }

    /// Like [`Spool::create`], but the file is only created when there is output.
    pub(super) fn later(path: PathBuf, head: u64, tail: u64) -> Self {
        Self::new(SpoolSink::Later(path), head, tail)
    }

    pub(super) fn nowhere() -> Self {
        Self::new(SpoolSink::Nowhere, 0, 1)
    }

    fn new(sink: SpoolSink, head: u64, tail: u64) -> Self {
        Self {
            path: None,
            sink,
            head,
            tail: tail.max(1),
            n_bytes: 0,
            n_lost: 0,
        }
    }

    pub(super) fn push(&mut self, mut bytes: &[u8]) {
        if let (SpoolSink::Later(path), false) = (&self.sink, bytes.is_empty()) {
            let made = new_file(path).map(|file| (path.clone(), file));
            (self.path, self.sink) = match made {
                Ok((path, file)) => (Some(path), SpoolSink::File(file)),
                Err(_) => (None, SpoolSink::Nowhere),
            };
        }
        while !bytes.is_empty() {
            let (at, room) = if self.n_bytes < self.head {
                (self.n_bytes, self.head - self.n_bytes)
            } else {
                let in_ring = (self.n_bytes - self.head) % self.tail;
                (self.head + in_ring, self.tail - in_ring)
            };
            let n_now = usize::try_from(room).unwrap_or(usize::MAX).min(bytes.len());
            let (now, rest) = bytes.split_at(n_now);
            match &self.sink {
                SpoolSink::File(file) if file.write_all_at(now, at).is_ok() => self.n_bytes += n_now as u64,
                // If the disk is full, the run continues and the record says how much is missing.
                SpoolSink::File(_) | SpoolSink::Nowhere | SpoolSink::Later(_) => {
                    self.sink = SpoolSink::Nowhere;
                    self.n_lost += n_now as u64;
                }
            }
            bytes = rest;
        }
    }

    /// Puts the file in order; returns its path, if it exists, and the number of missing bytes.
    pub(super) fn finish(mut self) -> (Option<PathBuf>, u64) {
        let n_overwritten = self.n_bytes.saturating_sub(self.head + self.tail);
        let is_ordered = n_overwritten == 0 || self.put_in_order().is_ok();
        let n_dropped = if is_ordered { n_overwritten } else { self.n_bytes };
        (self.path, n_dropped + self.n_lost)
    }

    fn put_in_order(&mut self) -> std::io::Result<()> {
        let sink = std::mem::replace(&mut self.sink, SpoolSink::Nowhere);
        let (SpoolSink::File(mut file), Some(path)) = (sink, &self.path) else {
            return Ok(());
        };
        let ordered_path = path.with_extension("ordered");
        let mut ordered = new_file(&ordered_path)?;
        let start = (self.n_bytes - self.head) % self.tail;
        let parts = [
            (0, self.head),
            (self.head + start, self.tail - start),
            (self.head, start),
        ];
        for (from, n_bytes) in parts {
            file.seek(SeekFrom::Start(from))?;
            std::io::copy(&mut (&mut file).take(n_bytes), &mut ordered)?;
        }
        ordered.flush()?;
        std::fs::rename(&ordered_path, path)
    }
}

fn new_file(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true).mode(0o600);
    options.open(path)
}

#[cfg(test)]
mod tests {
    use super::Spool;

    #[test]
    fn a_file_is_made_with_its_first_byte() {
        use std::os::unix::fs::MetadataExt;

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("stderr.log");
        let mut silent = Spool::later(path.clone(), 5, 10);
        silent.push(b"");
        assert_eq!(silent.finish(), (None, 0));
        assert!(!path.exists());
        let mut heard = Spool::later(path.clone(), 5, 10);
        heard.push(b"no");
        // Whoever looks while it is written finds all that came.
        assert_eq!(std::fs::read(&path).unwrap(), b"no");
        heard.push(b"ise");
        assert_eq!(heard.finish(), (Some(path.clone()), 0));
        assert_eq!(std::fs::read(&path).unwrap(), b"noise");
        assert_eq!(std::fs::metadata(&path).unwrap().mode() & 0o7777, 0o600);
        // What cannot be kept is counted; the file of somebody else stays as it is.
        let mut refused = Spool::later(path.clone(), 5, 10);
        refused.push(b"lost");
        assert_eq!(refused.finish(), (None, 4));
        assert_eq!(std::fs::read(&path).unwrap(), b"noise");
    }

    /// Every length and every size of piece gives the start and the end.
    #[test]
    fn start_and_end_are_kept_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let whole: Vec<u8> = (0..100).collect();
        for n_bytes in 0..whole.len() {
            for piece in [1, 3, 7, 100] {
                let path = folder.path().join(format!("{n_bytes}-{piece}"));
                let mut spool = Spool::create(path, 5, 10).unwrap();
                for bytes in whole[..n_bytes].chunks(piece) {
                    spool.push(bytes);
                }
                let (path, n_dropped) = spool.finish();
                let mut expected = whole[..n_bytes].to_vec();
                if n_bytes > 15 {
                    expected.drain(5..n_bytes - 10);
                }
                assert_eq!(std::fs::read(path.unwrap()).unwrap(), expected);
                assert_eq!(n_dropped, n_bytes.saturating_sub(15) as u64);
            }
        }
    }
}
