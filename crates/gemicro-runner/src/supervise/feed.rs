//! Writes an agent's standard input without blocking.

use tokio::io::AsyncWriteExt;
use tokio::net::unix::pipe::Sender;

use crate::invocation::CliInput;

/// The writing end of an agent's standard input.
#[derive(Debug)]
pub(super) struct Feed {
    /// `None` when it is closed: everything was written, or the agent stopped reading.
    pipe: Option<Sender>,
    due: Vec<u8>,
    n_written: usize,
    /// Whether the input ends once everything is written.
    is_last: bool,
}

impl Feed {
    pub(super) fn new(pipe: Sender, stdin: CliInput) -> Self {
        let (due, is_last) = match stdin {
            CliInput::Whole(bytes) => (bytes, true),
            CliInput::Open => (Vec::new(), false),
        };
        let mut feed = Self {
            pipe: Some(pipe),
            due,
            n_written: 0,
            is_last,
        };
        feed.settle();
        feed
    }

    /// Queues bytes to write.
    pub(super) fn add(&mut self, mut bytes: Vec<u8>) {
        if self.pipe.is_some() && !bytes.is_empty() {
            self.due.append(&mut bytes);
        }
    }

    /// Whether the input is still open.
    pub(super) fn is_open(&self) -> bool {
        self.pipe.is_some()
    }

    /// Whether there is something to write.
    pub(super) fn is_due(&self) -> bool {
        self.pipe.is_some() && !self.due.is_empty()
    }

    /// Writes once, when the pipe has space. It is safe to drop this future at any time.
    pub(super) async fn write(&mut self) {
        let Some(pipe) = &mut self.pipe else {
            return std::future::pending().await;
        };
        let rest = self.due.get(self.n_written..).unwrap_or_default();
        match pipe.write(rest).await {
            Ok(n_written) => self.n_written += n_written,
            // It closed its input, which is fine: it may have needed only the prompt.
            Err(_) => self.close(),
        }
        self.settle();
    }

    pub(super) fn close(&mut self) {
        self.pipe = None;
        self.due = Vec::new();
        self.n_written = 0;
    }

    fn settle(&mut self) {
        if self.n_written < self.due.len() {
            return;
        }
        self.due = Vec::new();
        self.n_written = 0;
        if self.is_last {
            self.pipe = None;
        }
    }
}
