//! Keeps the start and the end of a stream, in bounded memory and without secrets.

use std::collections::VecDeque;

use gemicro_event::redact::Redactor;
use tokio::io::{AsyncRead, AsyncReadExt};

/// Number of bytes kept of the start, and of the end.
pub(super) const KEPT: usize = 512 * 1024;
/// Extra bytes read and dropped next to the omitted middle, because a secret may be cut in two there.
const MARGIN: usize = 4 * 1024;

/// The kept part of one stream.
#[derive(Debug, Default)]
pub(crate) struct ShellCapture {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    n_bytes: u64,
}

impl ShellCapture {
    /// Takes the next bytes.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.n_bytes += bytes.len() as u64;
        let n_head = bytes.len().min((KEPT + MARGIN).saturating_sub(self.head.len()));
        let (head, rest) = bytes.split_at(n_head);
        self.head.extend_from_slice(head);
        self.tail.extend(rest);
        let n_over = self.tail.len().saturating_sub(KEPT + MARGIN);
        self.tail.drain(..n_over);
    }

    /// The text, and the number of omitted bytes.
    pub(crate) fn finish(mut self, redactor: &Redactor) -> (String, u64) {
        let n_kept = (self.head.len() + self.tail.len()) as u64;
        let tail = self.tail.make_contiguous();
        if self.n_bytes == n_kept {
            self.head.extend_from_slice(tail);
            let text = String::from_utf8_lossy(&self.head);
            return (redactor.redact(&text).into_owned(), 0);
        }
        let head = String::from_utf8_lossy(&self.head);
        let tail = String::from_utf8_lossy(tail);
        let (head, tail) = (redactor.redact(&head), redactor.redact(&tail));
        let head = &head[..head.floor_char_boundary(head.len().saturating_sub(MARGIN))];
        let tail = &tail[tail.floor_char_boundary(MARGIN)..];
        let n_dropped = self.n_bytes - n_kept + 2 * MARGIN as u64;
        let text = format!("{head}\n[… {n_dropped} bytes left out …]\n{tail}");
        (text, n_dropped)
    }
}

/// Reads a stream to its end. Safe to drop at any time: bytes read so far are kept.
pub(super) async fn read(stream: &mut (impl AsyncRead + Unpin), capture: &mut ShellCapture) {
    let mut buffer = vec![0; 64 * 1024];
    // A read error counts as the end.
    while let Ok(n_bytes @ 1..) = stream.read(&mut buffer).await {
        capture.push(&buffer[..n_bytes]);
    }
}

#[cfg(test)]
mod tests {
    use super::{KEPT, MARGIN, ShellCapture};
    use gemicro_event::redact::Redactor;

    #[test]
    fn a_short_stream_is_whole() {
        let mut capture = ShellCapture::default();
        capture.push("gr".as_bytes());
        capture.push(&"üße".as_bytes()[..1]);
        capture.push(&"üße".as_bytes()[1..]);
        assert_eq!(capture.finish(&Redactor::default()), ("grüße".to_owned(), 0));
    }

    #[test]
    fn of_a_long_one_the_middle_is_missing_and_counted() {
        let mut capture = ShellCapture::default();
        let line = [b'x'; 1_000];
        let n_lines = 2_000;
        for _ in 0..n_lines {
            capture.push(&line);
        }
        let (text, n_dropped) = capture.finish(&Redactor::default());
        assert_eq!(n_dropped, n_lines * 1_000 - 2 * KEPT as u64);
        assert_eq!(text.bytes().filter(|byte| *byte == b'x').count(), 2 * KEPT);
        assert!(text.contains(&format!("[… {n_dropped} bytes left out …]")));
    }

    #[test]
    fn no_half_of_a_secret_is_left_where_it_was_cut() {
        let secret = "s3cr3t-value-0123456789";
        for before in [KEPT + MARGIN - 10, KEPT + MARGIN - 1] {
            let mut capture = ShellCapture::default();
            capture.push(&vec![b'x'; before]);
            capture.push(secret.as_bytes());
            capture.push(&vec![b'x'; 3 * KEPT]);
            let (text, _) = capture.finish(&Redactor::new([secret]));
            assert!(!text.contains("s3cr"), "cut after {before} bytes");
        }
    }
}
