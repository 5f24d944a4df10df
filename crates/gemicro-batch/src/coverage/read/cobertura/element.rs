//! Streams XML elements of limited size.

use std::io::{self, BufRead, Read};

use quick_xml::events::{BytesStart, Event};
use quick_xml::{Error, Reader};

use crate::coverage::bounds::MAX_RECORD_BYTES;
use crate::coverage::read::read_error::ReportError;

/// Marks the error for an element that exceeds the limit.
const TOO_LONG: &str = "an element is too long";

/// The elements of a document, in order.
pub(super) struct Elements<R> {
    reader: Reader<BoundedBytes<R>>,
    buffer: Vec<u8>,
}

impl<R: BufRead> Elements<R> {
    pub(super) fn new(inner: R) -> Self {
        Self {
            reader: Reader::from_reader(BoundedBytes {
                inner,
                n_left: MAX_RECORD_BYTES,
            }),
            buffer: Vec::new(),
        }
    }

    /// Position of the next element.
    pub(super) fn place(&self) -> String {
        format!("byte {}", self.reader.buffer_position())
    }

    /// Returns the next element; at the end, always `Eof`.
    pub(super) fn next(&mut self) -> Result<Event<'_>, ReportError> {
        self.buffer.clear();
        self.reader.get_mut().n_left = MAX_RECORD_BYTES;
        let place = self.place();
        match self.reader.read_event_into(&mut self.buffer) {
            Ok(event) => Ok(event),
            Err(Error::Io(error)) if error.to_string() == TOO_LONG => {
                let message = format!("an element or a text of more than {MAX_RECORD_BYTES} bytes");
                Err(ReportError::malformed(place, message))
            }
            Err(Error::Io(error)) => Err(ReportError::Io(own_error(&error))),
            Err(error) => Err(ReportError::malformed(place, error.to_string())),
        }
    }
}

/// The value of an attribute, with XML's predefined entities resolved.
pub(super) fn attribute(start: &BytesStart<'_>, name: &[u8]) -> Result<Option<Vec<u8>>, String> {
    for attribute in start.attributes() {
        let attribute = attribute.map_err(|error| error.to_string())?;
        if attribute.key.as_ref() != name {
            continue;
        }
        if !attribute.value.contains(&b'&') {
            return Ok(Some(attribute.value.into_owned()));
        }
        let text = String::from_utf8_lossy(&attribute.value);
        let value = quick_xml::escape::unescape(&text).map_err(|error| error.to_string())?;
        return Ok(Some(value.into_owned().into_bytes()));
    }
    Ok(None)
}

/// Copies an error that the parser shares, keeping a [`Halt`] recognizable.
fn own_error(error: &io::Error) -> io::Error {
    use crate::coverage::read::stoppable_reader::Halt;

    match Halt::of(error) {
        Some(halt) => io::Error::other(halt),
        None => io::Error::new(error.kind(), error.to_string()),
    }
}

/// A reader that fails after `n_left` bytes; the limit is reset for each element.
struct BoundedBytes<R> {
    inner: R,
    n_left: usize,
}

impl<R: BufRead> BufRead for BoundedBytes<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.n_left == 0 {
            return Err(io::Error::other(TOO_LONG));
        }
        let n_left = self.n_left;
        self.inner
            .fill_buf()
            .map(|bytes| &bytes[..bytes.len().min(n_left)])
    }

    fn consume(&mut self, n_bytes: usize) {
        self.n_left = self.n_left.saturating_sub(n_bytes);
        self.inner.consume(n_bytes);
    }
}

impl<R: BufRead> Read for BoundedBytes<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n_bytes = self.fill_buf()?.len().min(buffer.len());
        let (bytes, _) = self.fill_buf()?.split_at(n_bytes);
        buffer[..n_bytes].copy_from_slice(bytes);
        self.consume(n_bytes);
        Ok(n_bytes)
    }
}
