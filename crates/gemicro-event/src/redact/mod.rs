//! Keeps secrets out of everything that is written down.
//!
//! [`Redactor`] redacts whole texts (a journal line, a log record, an answer); [`RedactStream`] redacts text that
//! arrives in chunks, without letting a secret out between two of them. Both replace the given values in all their
//! encoded forms (JSON, base64, URLs), and everything that looks like a well-known token. They are a safety net, not
//! a guarantee: a secret that was reversed or compressed is not found.
//!
//! Files: `redactor` (whole texts), `stream` (chunks), `forms` (encodings of known values), `shapes` (patterns of
//! unknown tokens; also `headers` and `pem`), `scan` (finds matches), `cut` (replaces a match without breaking JSON).

mod cut;
mod forms;
mod headers;
mod pem;
mod redactor;
mod scan;
mod shapes;
mod stream;
#[cfg(test)]
mod tests;

pub use redactor::{MASK, Redactor};
pub use stream::RedactStream;
