//! A connection that fails if the other side does not read for too long.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep};

/// Passes on bytes; fails when a write makes no progress for too long. Flushes are not timed.
#[derive(Debug)]
pub struct StalledWrite<S> {
    stream: S,
    at_most: Duration,
    /// Runs while a write waits.
    waiting: Option<Pin<Box<Sleep>>>,
}

impl<S> StalledWrite<S> {
    /// Wraps a stream; a write may wait for `at_most`.
    #[must_use]
    pub fn new(stream: S, at_most: Duration) -> Self {
        Self {
            stream,
            at_most,
            waiting: None,
        }
    }

    /// The result of a write, or an error if it has waited too long.
    fn watch_write(
        &mut self,
        cx: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if written.is_ready() {
            self.waiting = None;
            return written;
        }
        let until = Instant::now() + self.at_most;
        let waiting = self
            .waiting
            .get_or_insert_with(|| Box::pin(tokio::time::sleep_until(until)));
        match waiting.as_mut().poll(cx) {
            Poll::Ready(()) => Poll::Ready(Err(io::Error::new(
                io::ErrorKind::TimedOut,
                "the client does not read",
            ))),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for StalledWrite<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for StalledWrite<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.watch_write(cx, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, parts);
        self.watch_write(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_side_that_does_not_read_is_left_and_a_slow_one_is_not() {
        let limit = Duration::from_secs(30);
        let (ours, mut theirs) = tokio::io::duplex(4);
        let mut ours = StalledWrite::new(ours, limit);
        let slow = tokio::spawn(async move {
            let mut seen = Vec::new();
            while seen.len() < 12 {
                tokio::time::sleep(limit / 2).await;
                let mut bytes = [0; 2];
                let n_read = theirs.read(&mut bytes).await.expect("read");
                seen.extend_from_slice(&bytes[..n_read]);
            }
            (seen, theirs)
        });
        ours.write_all(b"twelve bytes").await.expect("a slow reader");
        let (seen, theirs) = slow.await.expect("it reads");
        assert_eq!(seen, b"twelve bytes");
        let error = ours.write_all(&[0; 64]).await.expect_err("nobody reads");
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        drop(theirs);
    }
}
