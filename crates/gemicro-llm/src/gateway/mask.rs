//! Takes the real key out of what comes back, in every common form and wherever the pieces are cut.

use std::fmt;
use std::sync::Arc;

use gemicro_event::redact::{MASK, Redactor};
use hyper::body::Bytes;

use super::key_forms::{KeyForms, KeyProbe};
use super::secret::GatewaySecret;

/// Knows a key and how to take it out. Cheap to clone.
#[derive(Clone)]
pub(super) struct KeyMask {
    forms: Option<Arc<KeyForms>>,
    redactor: Redactor,
}

/// The same for one stream. It holds back only what may be the beginning of the key.
pub(super) struct MaskedStream {
    mask: KeyMask,
    held: Vec<u8>,
}

impl KeyMask {
    pub(super) fn new(key: Option<&GatewaySecret>) -> Self {
        let key = key.map(GatewaySecret::expose).filter(|key| !key.is_empty());
        Self {
            forms: key.map(|key| Arc::new(KeyForms::new(key.as_bytes()))),
            redactor: Redactor::new(key),
        }
    }

    /// A short foreign text without the key in any of its forms, nor anything that looks like one.
    pub(super) fn text(&self, text: &str) -> String {
        let redacted = self.redactor.redact(text);
        let (mut clean, held) = self.cut(redacted.as_bytes());
        clean.extend_from_slice(held);
        String::from_utf8_lossy(&clean).into_owned()
    }

    /// Whether these bytes hold the key.
    pub(super) fn finds(&self, bytes: &[u8]) -> bool {
        let Some(forms) = &self.forms else { return false };
        (0..bytes.len()).any(|at| matches!(forms.probe(bytes, at), KeyProbe::Full(_)))
    }

    /// Whether the name of a header, which is in small letters, holds the key.
    pub(super) fn finds_in_name(&self, name: &str) -> bool {
        let is_in_small_letters = |forms: &Arc<KeyForms>| forms.is_in_folded(name.as_bytes());
        self.finds(name.as_bytes()) || self.forms.as_ref().is_some_and(is_in_small_letters)
    }

    pub(super) fn stream(&self) -> MaskedStream {
        MaskedStream {
            mask: self.clone(),
            held: Vec::new(),
        }
    }

    /// The bytes without the key, and the last of them that may be its beginning.
    fn cut<'b>(&self, bytes: &'b [u8]) -> (Vec<u8>, &'b [u8]) {
        let Some(forms) = &self.forms else {
            return (bytes.to_vec(), &[]);
        };
        let (mut clean, mut at) = (Vec::with_capacity(bytes.len()), 0);
        while at < bytes.len() {
            match forms.probe(bytes, at) {
                KeyProbe::No => {
                    clean.push(bytes[at]);
                    at += 1;
                }
                KeyProbe::Full(end) => {
                    clean.extend_from_slice(MASK.as_bytes());
                    at = end;
                }
                KeyProbe::Open => return (clean, &bytes[at..]),
            }
        }
        (clean, &[])
    }

    /// Whether no form of the key is in these bytes, or begins in them.
    fn is_free_of(&self, bytes: &[u8]) -> bool {
        let Some(forms) = &self.forms else { return true };
        (0..bytes.len()).all(|at| forms.probe(bytes, at) == KeyProbe::No)
    }
}

impl MaskedStream {
    /// What is certain by now.
    pub(super) fn push(&mut self, piece: Bytes) -> Bytes {
        if self.held.is_empty() && self.mask.is_free_of(&piece) {
            return piece;
        }
        let mut bytes = std::mem::take(&mut self.held);
        bytes.extend_from_slice(&piece);
        let (clean, held) = self.mask.cut(&bytes);
        self.held = held.to_vec();
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
        let mask = KeyMask::new(Some(&GatewaySecret::new("abcabd-0123")));
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
        let mut stream = KeyMask::new(Some(&GatewaySecret::new("secret-key"))).stream();
        assert_eq!(stream.push(Bytes::from_static(b"data: 1\n\n")), "data: 1\n\n");
        assert_eq!(stream.push(Bytes::from_static(b"x sec")), "x ");
        assert_eq!(stream.push(Bytes::from_static(b"ond")), "second");
        let mut open = KeyMask::new(None).stream();
        assert_eq!(open.push(Bytes::from_static(b"secret-key")), "secret-key");
    }

    /// The key as a program that echoes it might write it.
    fn forms(key: &str) -> Vec<String> {
        let each = |write: &dyn Fn(u8) -> String| key.bytes().map(write).collect::<String>();
        let some = |write: &dyn Fn(u8) -> String| {
            let letters = key.bytes().enumerate();
            letters
                .map(|(idx, byte)| match idx % 3 {
                    0 => write(byte),
                    _ => char::from(byte).to_string(),
                })
                .collect::<String>()
        };
        vec![
            key.to_owned(),
            each(&|byte| format!("\\u{byte:04x}")),
            each(&|byte| format!("\\u{byte:04X}")),
            some(&|byte| format!("\\u{byte:04x}")),
            each(&|byte| format!("\\\\u{byte:04x}")),
            each(&|byte| format!("%{byte:02X}")),
            some(&|byte| format!("%{byte:02x}")),
            each(&|byte| format!("{byte:02x}")),
            each(&|byte| format!("{byte:02X}")),
            each(&|byte| format!("&#{byte};")),
            some(&|byte| format!("&#x{byte:04x};")),
            each(&|byte| format!("%25{byte:02X}")),
            each(&|byte| format!("={byte:02X}")),
            each(&|byte| format!("\\\\\\\\u{byte:04x}")),
            each(&|byte| format!("%5Cu{byte:04x}")),
            each(&|byte| format!("\0{}", char::from(byte))),
            each(&|byte| format!("{}\\u0000", char::from(byte))),
            format!("{}=\r\n{}", &key[..9], &key[9..]),
            format!("{}\\n  {}", &key[..9], &key[9..]),
        ]
    }

    /// Beginnings of the key and of escapes at every place must not cost more than a look at each of them.
    #[test]
    fn hostile_texts_are_masked_in_time() {
        let mask = KeyMask::new(Some(&GatewaySecret::new("sssssssssssssssssssst")));
        for unit in ["\\", "%25", "&#", "s", "=\n", "&#0000", "\\u00", "s\\n"] {
            let text = Bytes::from(unit.repeat(1_000_000 / unit.len()));
            let started = std::time::Instant::now();
            let mut stream = mask.stream();
            let n_bytes = stream.push(text.clone()).len() + stream.finish().len();
            assert_eq!(n_bytes, text.len(), "{unit:?}");
            assert!(
                started.elapsed().as_secs() < 20,
                "{unit:?}: {:?}",
                started.elapsed()
            );
        }
    }

    #[test]
    fn every_form_of_the_key_is_taken_out() {
        let key = "sk-Ab_9z?~>xyz-0123456789";
        let mask = KeyMask::new(Some(&GatewaySecret::new(key)));
        let mut texts: Vec<String> = forms(key);
        // Base64 of texts in which the key is at any place.
        texts.extend([
            "c2stQWJfOXo/fj54eXotMDEyMzQ1Njc4OQ==".to_owned(),
            "eHNrLUFiXzl6P34+eHl6LTAxMjM0NTY3ODk=".to_owned(),
            "eHhzay1BYl85ej9+Pnh5ei0wMTIzNDU2Nzg5".to_owned(),
            "c2stQWJfOXo_fj54eXotMDEyMzQ1Njc4OQ".to_owned(),
            "c2stQWJfOXo/\r\nfj54eXotMDEy\r\nMzQ1Njc4OQ==".to_owned(),
            "c2stQWJfOXo\\/\\nfj54eXotMDEyMzQ1Njc4OQ==".to_owned(),
            "c2stQWJfOXo%2Ffj54eXotMDEyMzQ1Njc4OQ%3D%3D".to_owned(),
        ]);
        for text in texts {
            let whole = format!("{{\"echo\":\"{text}\"}}");
            assert!(mask.finds(whole.as_bytes()), "{text}");
            let n_kept = text.len() / 3;
            for piece in [1, 2, 5, 7, 1_000] {
                let mut stream = mask.stream();
                let mut heard = Vec::new();
                for bytes in whole.as_bytes().chunks(piece) {
                    heard.extend_from_slice(&stream.push(Bytes::copy_from_slice(bytes)));
                }
                heard.extend_from_slice(&stream.finish());
                let heard = String::from_utf8(heard).unwrap();
                assert!(heard.contains(MASK), "{text}: {heard}");
                assert!(!heard.contains(&text[..n_kept]), "{text}: {heard}");
                assert!(
                    heard.starts_with("{\"echo\":\"") && heard.ends_with("\"}"),
                    "{heard}"
                );
            }
        }
        for name in ["sk-ab_9z?~>xyz-0123456789", "x-sk-ab_9z?~>xyz-0123456789-y"] {
            assert!(mask.finds_in_name(name), "{name}");
        }
        assert!(!mask.finds_in_name("x-request-id"));
        let other = "{\"text\":\"\\u0073k-Ab is no key, nor is 736b2d\"}";
        let mut stream = mask.stream();
        let mut heard = stream.push(Bytes::from(other)).to_vec();
        heard.extend_from_slice(&stream.finish());
        assert_eq!(heard, other.as_bytes());
    }
}
