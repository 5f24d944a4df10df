//! Takes the real key out of what comes back, wherever the pieces are cut.

use std::fmt;
use std::sync::Arc;

use gemicro_event::redact::{MASK, Redactor};
use hyper::body::Bytes;
use memchr::memmem::Finder;

use super::secret::Secret;

/// Knows a key and how to take it out. Cheap to clone.
#[derive(Clone)]
pub(super) struct KeyMask {
    key: Option<Arc<Finder<'static>>>,
    redactor: Redactor,
}

/// The same for one stream. It holds back only what may be the beginning of the key.
pub(super) struct MaskedStream {
    mask: KeyMask,
    held: Vec<u8>,
}

impl KeyMask {
    pub(super) fn new(key: Option<&Secret>) -> Self {
        let key = key.map(Secret::expose).filter(|key| !key.is_empty());
        Self {
            key: key.map(|key| Arc::new(Finder::new(key).into_owned())),
            redactor: Redactor::new(key),
        }
    }

    /// A short foreign text without the key in any of its forms, nor anything that looks like one.
    pub(super) fn text(&self, text: &str) -> String {
        let redacted = self.redactor.redact(text);
        let (clean, _) = self.cut(redacted.as_bytes().into());
        String::from_utf8_lossy(&clean).into_owned()
    }

    /// Whether these bytes hold the key.
    pub(super) fn finds(&self, bytes: &[u8]) -> bool {
        self.key.as_ref().is_some_and(|key| key.find(bytes).is_some())
    }

    pub(super) fn stream(&self) -> MaskedStream {
        MaskedStream {
            mask: self.clone(),
            held: Vec::new(),
        }
    }

    /// The bytes without the key, and how many of the last may be its beginning.
    fn cut(&self, bytes: Vec<u8>) -> (Vec<u8>, usize) {
        let Some(key) = &self.key else { return (bytes, 0) };
        let needle = key.needle();
        let clean = if key.find(&bytes).is_some() {
            let mut clean = Vec::with_capacity(bytes.len());
            let mut done = 0;
            for at in key.find_iter(&bytes) {
                clean.extend_from_slice(&bytes[done..at]);
                clean.extend_from_slice(MASK.as_bytes());
                done = at + needle.len();
            }
            clean.extend_from_slice(&bytes[done..]);
            clean
        } else {
            bytes
        };
        let n_open = self.open(&clean);
        (clean, n_open)
    }

    /// How many of the last bytes may be the beginning of the key.
    fn open(&self, bytes: &[u8]) -> usize {
        let Some(key) = &self.key else { return 0 };
        let needle = key.needle();
        let longest = (needle.len() - 1).min(bytes.len());
        let open = (1..=longest).rev().find(|&n| bytes.ends_with(&needle[..n]));
        open.unwrap_or(0)
    }
}

impl MaskedStream {
    /// What is certain by now.
    pub(super) fn push(&mut self, piece: Bytes) -> Bytes {
        if self.mask.key.is_none() {
            return piece;
        }
        if self.held.is_empty() && !self.mask.finds(&piece) && self.mask.open(&piece) == 0 {
            return piece;
        }
        let mut bytes = std::mem::take(&mut self.held);
        bytes.extend_from_slice(&piece);
        let (mut clean, n_open) = self.mask.cut(bytes);
        self.held = clean.split_off(clean.len() - n_open);
        Bytes::from(clean)
    }

    /// What was held back at the end.
    pub(super) fn finish(self) -> Bytes {
        Bytes::from(self.held)
    }
}

impl fmt::Debug for KeyMask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyMask")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_is_taken_out_wherever_the_pieces_are_cut() {
        let mask = KeyMask::new(Some(&Secret::new("abcabd-0123")));
        let text = b"x abcabcabd-0123 abcabd-012 y abcabd-0123abcabd-0123 ab";
        for piece in 1..text.len() {
            let mut stream = mask.stream();
            let mut heard = Vec::new();
            for bytes in text.chunks(piece) {
                heard.extend_from_slice(&stream.push(Bytes::copy_from_slice(bytes)));
            }
            heard.extend_from_slice(&stream.finish());
            assert_eq!(
                String::from_utf8(heard).unwrap(),
                "x abc*** abcabd-012 y ****** ab",
                "{piece}"
            );
        }
    }

    #[test]
    fn other_text_is_not_held_back() {
        let mut stream = KeyMask::new(Some(&Secret::new("secret-key"))).stream();
        assert_eq!(stream.push(Bytes::from_static(b"data: 1\n\n")), "data: 1\n\n");
        assert_eq!(stream.push(Bytes::from_static(b"x sec")), "x ");
        assert_eq!(stream.push(Bytes::from_static(b"ond")), "second");
        let mut open = KeyMask::new(None).stream();
        assert_eq!(open.push(Bytes::from_static(b"secret-key")), "secret-key");
    }
}
