//! Splits bytes into lines, in limited memory.
//!
//! A line over the limit is dropped as it arrives; at its end, only its length is reported.

/// Buffer capacity that an idle splitter keeps.
const KEPT_CAPACITY: usize = 64 * 1024;

/// One line of a stream.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum StreamLine<'a> {
    /// Without its line feed.
    Whole(&'a [u8]),
    /// It exceeded the limit and was dropped.
    TooLong { n_bytes: u64 },
}

/// Collects a line until its line feed arrives.
#[derive(Debug)]
pub(crate) struct LineSplitter {
    pending: Vec<u8>,
    /// Number of dropped bytes of the current line, including those that were in `pending`; 0 while it is complete.
    n_dropped: u64,
    max_line: usize,
}

impl LineSplitter {
    pub(crate) fn new(max_line: usize) -> Self {
        Self {
            pending: Vec::new(),
            n_dropped: 0,
            max_line,
        }
    }

    /// Processes the next bytes and calls `on_line` for each completed line.
    pub(crate) fn push(&mut self, mut bytes: &[u8], mut on_line: impl FnMut(StreamLine<'_>)) {
        while let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
            let (rest_of_line, next) = bytes.split_at(end);
            bytes = next.get(1..).unwrap_or_default();
            if self.n_dropped == 0 && self.pending.is_empty() && rest_of_line.len() <= self.max_line {
                on_line(StreamLine::Whole(rest_of_line));
            } else {
                self.keep(rest_of_line);
                self.end_line(&mut on_line);
            }
        }
        self.keep(bytes);
    }

    /// Handles the end of the stream: the rest is a line even without a line feed.
    pub(crate) fn finish(&mut self, mut on_line: impl FnMut(StreamLine<'_>)) {
        if self.n_dropped > 0 || !self.pending.is_empty() {
            self.end_line(&mut on_line);
        }
    }

    fn keep(&mut self, bytes: &[u8]) {
        let n_bytes = self.pending.len() + bytes.len();
        if self.n_dropped > 0 || n_bytes > self.max_line {
            self.n_dropped = self.n_dropped.saturating_add(n_bytes as u64);
            self.pending = Vec::new();
        } else {
            self.pending.extend_from_slice(bytes);
        }
    }

    fn end_line(&mut self, on_line: &mut impl FnMut(StreamLine<'_>)) {
        if self.n_dropped > 0 {
            on_line(StreamLine::TooLong {
                n_bytes: self.n_dropped,
            });
        } else {
            on_line(StreamLine::Whole(&self.pending));
        }
        self.n_dropped = 0;
        self.pending.clear();
        self.pending.shrink_to(KEPT_CAPACITY);
    }
}
