//! Keeps secrets out of everything that is written down.
//!
//! [`Redactor`] takes whole texts (a journal line, a log record, an answer); [`RedactStream`] takes text in
//! pieces and never lets a secret out between two of them. Both replace the values they were given, in the
//! forms those take on the way (JSON, base64, URLs), and what has the shape of a well-known token. They are
//! a last net, not a licence: a secret that was reversed or compressed passes.
//!
//! Files: `redactor` (whole texts), `stream` (pieces), `forms` (what a known value can look like), `shapes`
//! (what unknown tokens look like; also `headers` and `pem`), `scan` (where the matches are), `cut` (how a match is taken out without
//! breaking JSON).

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
