//! Keeps the last lines of a stream, in limited memory.

use gemicro_event::text::last_bytes;

use super::text::plain;

/// Maximum number of lines.
const MAX_LINES: usize = 20;
/// Number of lines reserved for standard error, if it has any.
const ERROR_LINES: usize = 10;
/// Maximum length of a line.
const MAX_LINE_CHARS: usize = 2_000;
/// Maximum number of bytes kept from the end of a stream. Of a longer line only the end is known.
const MAX_BYTES: usize = 16 * 1024;

/// The end of one stream.
#[derive(Debug, Default)]
pub(super) struct Tail {
    text: String,
}

impl Tail {
    /// Adds the next chunk.
    pub(super) fn push(&mut self, piece: &str) {
        let piece = last_bytes(piece, MAX_BYTES);
        if self.text.len() + piece.len() > 2 * MAX_BYTES {
            let keep = self.text.len() - last_bytes(&self.text, MAX_BYTES).len();
            self.text.drain(..keep);
        }
        self.text.push_str(piece);
    }

    /// Returns at most `n_lines` last lines.
    pub(super) fn lines(&self, n_lines: usize) -> Vec<String> {
        let lines = self.text.rsplit(['\n', '\r']).map(plain);
        let lines = lines.map(|line| line.trim_end().to_owned());
        let mut lines: Vec<String> = lines
            .filter(|line| !line.is_empty())
            .take(n_lines)
            .map(|line| line.chars().take(MAX_LINE_CHARS).collect())
            .collect();
        lines.reverse();
        lines
    }
}

/// Returns the last lines of both streams, standard error after standard output: at most 20.
pub(super) fn last_lines(stdout: &Tail, stderr: &Tail) -> Vec<String> {
    let n_errors = stderr.lines(MAX_LINES).len();
    let n_outputs = stdout.lines(MAX_LINES).len();
    let n_errors = n_errors.min(ERROR_LINES.max(MAX_LINES - n_outputs));
    let mut lines = stdout.lines(MAX_LINES - n_errors);
    lines.extend(stderr.lines(n_errors));
    lines
}

#[cfg(test)]
mod tests {
    use super::{MAX_BYTES, Tail, last_lines};

    #[test]
    fn only_the_end_is_kept() {
        let mut tail = Tail::default();
        for number in 0..100_000 {
            tail.push(&format!("line {number}\n"));
            assert!(tail.text.len() <= 2 * MAX_BYTES);
        }
        assert_eq!(tail.lines(2), ["line 99998", "line 99999"]);
    }

    #[test]
    fn both_streams_have_their_say() {
        let mut streams = [Tail::default(), Tail::default()];
        for number in 0..30 {
            streams[0].push(&format!("out {number}\n"));
            streams[1].push(&format!("\u{1b}[1merr {number}\n"));
        }
        let lines = last_lines(&streams[0], &streams[1]);
        assert_eq!((lines.len(), lines[9].as_str()), (20, "out 29"));
        assert_eq!(lines[19], "err 29");
        assert_eq!(last_lines(&Tail::default(), &streams[1]).len(), 20);
        assert_eq!(last_lines(&streams[0], &Tail::default())[0], "out 10");
    }
}
