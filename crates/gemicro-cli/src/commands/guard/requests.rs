//! Reads requests from an input: all of it as one, or one per line, with a size limit for each.

use std::io::{self, BufRead, Read};

use gemicro_guard::hook::HookError;

/// Maximum size of a request: more than the largest file that an agent writes in one call.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

pub(super) struct HookRequests<R> {
    input: R,
    limit: u64,
    /// Set after an input error: no more requests follow.
    is_broken: bool,
}

impl<R: BufRead> HookRequests<R> {
    pub(super) fn new(input: R) -> Self {
        Self {
            input,
            limit: MAX_BYTES,
            is_broken: false,
        }
    }

    /// The whole input as one request.
    pub(super) fn whole(mut self) -> Result<String, HookError> {
        let mut bytes = Vec::new();
        (&mut self.input).take(self.limit + 1).read_to_end(&mut bytes)?;
        self.text(bytes)
    }

    /// The next line. An empty line is a request too, an invalid one: every line gets an answer.
    pub(super) fn line(&mut self) -> Option<Result<String, HookError>> {
        if self.is_broken {
            return None;
        }
        let mut bytes = Vec::new();
        // The line end counts too.
        let read = (&mut self.input)
            .take(self.limit + 1)
            .read_until(b'\n', &mut bytes);
        match read {
            Ok(0) => None,
            Ok(_) if bytes.last() == Some(&b'\n') => {
                bytes.pop();
                Some(self.text(bytes))
            }
            Ok(_) if bytes.len() as u64 > self.limit => match self.skip_line() {
                Ok(()) => Some(self.text(bytes)),
                Err(error) => Some(Err(self.format_error(error))),
            },
            Ok(_) => Some(self.text(bytes)),
            Err(error) => Some(Err(self.format_error(error))),
        }
    }

    fn format_error(&mut self, error: io::Error) -> HookError {
        self.is_broken = true;
        HookError::Input(error)
    }

    fn text(&self, bytes: Vec<u8>) -> Result<String, HookError> {
        if bytes.len() as u64 > self.limit {
            return Err(HookError::TooLarge { limit: self.limit });
        }
        String::from_utf8(bytes)
            .map_err(|error| HookError::Input(io::Error::new(io::ErrorKind::InvalidData, error)))
    }

    /// Skips to the next line without keeping anything.
    fn skip_line(&mut self) -> io::Result<()> {
        loop {
            let chunk = self.input.fill_buf()?;
            let (used, is_end) = match chunk.iter().position(|byte| *byte == b'\n') {
                Some(at) => (at + 1, true),
                None => (chunk.len(), chunk.is_empty()),
            };
            self.input.consume(used);
            if is_end {
                return Ok(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn requests(input: &[u8], limit: u64) -> HookRequests<&[u8]> {
        HookRequests {
            input,
            limit,
            is_broken: false,
        }
    }

    fn lines(input: &[u8], limit: u64) -> Vec<String> {
        let mut requests = requests(input, limit);
        std::iter::from_fn(|| requests.line())
            .map(|line| match line {
                Ok(text) => format!("={text}"),
                Err(HookError::TooLarge { .. }) => "too large".to_owned(),
                Err(error) => error.to_string(),
            })
            .collect()
    }

    #[test]
    fn every_line_is_a_request() {
        assert_eq!(lines(b"a\n\nb", 4), ["=a", "=", "=b"]);
        assert_eq!(lines(b"a\n", 4), ["=a"]);
        assert_eq!(lines(b"", 4), [""; 0]);
    }

    #[test]
    fn long_lines_are_skipped_and_the_next_one_is_read() {
        assert_eq!(
            lines(b"abcd\nabcde\nabcdef\nx\nabcdefgh", 4),
            ["=abcd", "too large", "too large", "=x", "too large"]
        );
    }

    #[test]
    fn bad_bytes_are_one_bad_line() {
        let found = lines(b"\xff\na", 4);
        assert!(
            found[0].starts_with("the request could not be read: "),
            "{found:?}"
        );
        assert_eq!(found[1], "=a");
    }

    #[test]
    fn the_whole_is_bounded() {
        assert_eq!(requests(b"a\nb", 3).whole().unwrap(), "a\nb");
        assert!(matches!(
            requests(b"a\nbc", 3).whole(),
            Err(HookError::TooLarge { limit: 3 })
        ));
    }
}
