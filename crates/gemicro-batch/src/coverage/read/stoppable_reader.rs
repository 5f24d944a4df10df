//! A reader that fails when it has read too much, or when the caller cancels.

use std::fmt;
use std::io::{self, Read};

use crate::coverage::bounds::MAX_REPORT_BYTES;

/// A reader with a size limit that can be cancelled.
pub(in crate::coverage) struct StoppableReader<'s, R> {
    inner: R,
    n_left: u64,
    is_stopped: &'s dyn Fn() -> bool,
}

impl<'s, R: Read> StoppableReader<'s, R> {
    pub(in crate::coverage) fn new(inner: R, is_stopped: &'s dyn Fn() -> bool) -> Self {
        Self {
            inner,
            n_left: MAX_REPORT_BYTES,
            is_stopped,
        }
    }
}

impl<R: Read> Read for StoppableReader<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if (self.is_stopped)() {
            return Err(io::Error::other(Halt::Stopped));
        }
        let n_read = self.inner.read(buffer)?;
        let n_read_bytes = u64::try_from(n_read).unwrap_or(u64::MAX);
        match self.n_left.checked_sub(n_read_bytes) {
            Some(n_left) => self.n_left = n_left,
            None => return Err(io::Error::other(Halt::TooLarge)),
        }
        Ok(n_read)
    }
}

/// The reason why reading was stopped early.
#[derive(Debug, Clone, Copy)]
pub(super) enum Halt {
    Stopped,
    /// The report is larger than the limit.
    TooLarge,
}

impl Halt {
    /// Extracts the reason from an error, if it is one of these.
    pub(super) fn of(error: &io::Error) -> Option<Self> {
        error.get_ref()?.downcast_ref().copied()
    }
}

impl fmt::Display for Halt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Stopped => "stopped",
            Self::TooLarge => "too large",
        })
    }
}

impl std::error::Error for Halt {}
