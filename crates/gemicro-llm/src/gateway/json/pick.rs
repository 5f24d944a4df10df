//! Takes a few small values out of JSON that comes in pieces, in memory that does not grow with it.

use memchr::memchr2;

/// The paths of values to take out: keys on the way; lists do not count.
pub(in crate::gateway) type WantedPaths = &'static [&'static [&'static str]];

/// Longer values are not taken.
const VALUE_BYTES: usize = 16 << 10;
/// Longer keys are nobody's.
const KEY_BYTES: usize = 64;
/// Deeper JSON is not followed.
const DEPTH: usize = 200;
/// More values than this between two looks are not kept.
const PICKS: usize = 64;

/// A value that was taken out, as JSON text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::gateway) struct Pick {
    /// The last key of its path and the ones before, as wanted.
    pub(in crate::gateway) path: &'static [&'static str],
    pub(in crate::gateway) json: Vec<u8>,
}

impl Pick {
    /// Its text, where it is a plain string.
    pub(in crate::gateway) fn text(&self) -> Option<String> {
        serde_json::from_slice(&self.json).ok()
    }
}

/// Follows one JSON text.
#[derive(Debug)]
pub(in crate::gateway) struct Picker {
    wanted: WantedPaths,
    open: Vec<Container>,
    scan: ScanState,
    capture: Option<ValueCapture>,
    picks: Vec<Pick>,
    end: ValueEnd,
}

#[derive(Debug)]
enum Container {
    Object { key: Vec<u8>, at: PickPosition },
    List,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PickPosition {
    Key,
    Value,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ScanState {
    Between,
    Key {
        escaped: bool,
    },
    Text {
        escaped: bool,
    },
    /// A number, `true`, `false` or `null`.
    Word,
}

#[derive(Debug)]
struct ValueCapture {
    path: &'static [&'static str],
    depth: usize,
    json: Vec<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ValueEnd {
    Reading,
    /// The outermost value is closed.
    Closed,
    /// It is no JSON, or too deep: nothing more is taken.
    Lost,
}

impl Picker {
    pub(in crate::gateway) fn new(wanted: WantedPaths) -> Self {
        Self {
            wanted,
            open: Vec::new(),
            scan: ScanState::Between,
            capture: None,
            picks: Vec::new(),
            end: ValueEnd::Reading,
        }
    }

    pub(in crate::gateway) fn feed(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() && self.end != ValueEnd::Lost {
            let n = match self.scan {
                ScanState::Between => self.between(bytes[0]),
                ScanState::Key { escaped } => self.in_key(bytes, escaped),
                ScanState::Text { escaped } => self.in_text(bytes, escaped),
                ScanState::Word => self.in_word(bytes),
            };
            bytes = &bytes[n..];
        }
    }

    /// What was found since the last look.
    pub(in crate::gateway) fn take(&mut self) -> Vec<Pick> {
        std::mem::take(&mut self.picks)
    }

    /// Whether the whole text was there.
    pub(in crate::gateway) fn is_closed(&self) -> bool {
        self.end == ValueEnd::Closed
    }

    fn between(&mut self, byte: u8) -> usize {
        match byte {
            b' ' | b'\t' | b'\r' | b'\n' => self.keep(&[byte]),
            b'"' if self.awaits_key() => {
                if let Some(Container::Object { key, .. }) = self.open.last_mut() {
                    key.clear();
                }
                self.keep(b"\"");
                self.scan = ScanState::Key { escaped: false };
            }
            b'"' => {
                self.begin();
                self.keep(b"\"");
                self.scan = ScanState::Text { escaped: false };
            }
            b'{' | b'[' => {
                self.begin();
                self.keep(&[byte]);
                if self.open.len() == DEPTH {
                    self.end = ValueEnd::Lost;
                }
                self.open.push(if byte == b'{' {
                    Container::Object {
                        key: Vec::new(),
                        at: PickPosition::Key,
                    }
                } else {
                    Container::List
                });
            }
            b'}' | b']' => {
                self.keep(&[byte]);
                if self.open.pop().is_none() {
                    self.end = ValueEnd::Lost;
                }
                self.finish();
            }
            b',' | b':' => {
                self.keep(&[byte]);
                if let Some(Container::Object { at, .. }) = self.open.last_mut() {
                    *at = if byte == b',' {
                        PickPosition::Key
                    } else {
                        PickPosition::Value
                    };
                }
            }
            _ => {
                self.begin();
                self.scan = ScanState::Word;
                return 0;
            }
        }
        1
    }

    fn in_key(&mut self, bytes: &[u8], escaped: bool) -> usize {
        let byte = bytes[0];
        self.keep(&[byte]);
        self.scan = match byte {
            b'"' if !escaped => ScanState::Between,
            b'\\' if !escaped => ScanState::Key { escaped: true },
            _ => {
                if let Some(Container::Object { key, .. }) = self.open.last_mut()
                    && key.len() < KEY_BYTES
                {
                    key.push(byte);
                }
                ScanState::Key { escaped: false }
            }
        };
        1
    }

    fn in_text(&mut self, bytes: &[u8], escaped: bool) -> usize {
        if escaped {
            self.keep(&bytes[..1]);
            self.scan = ScanState::Text { escaped: false };
            return 1;
        }
        let Some(at) = memchr2(b'"', b'\\', bytes) else {
            self.keep(bytes);
            return bytes.len();
        };
        self.keep(&bytes[..=at]);
        if bytes[at] == b'"' {
            self.scan = ScanState::Between;
            self.finish();
        } else {
            self.scan = ScanState::Text { escaped: true };
        }
        at + 1
    }

    fn in_word(&mut self, bytes: &[u8]) -> usize {
        let ends = |byte: &u8| matches!(byte, b',' | b'}' | b']' | b':' | b' ' | b'\t' | b'\r' | b'\n');
        let length = bytes.iter().position(ends);
        self.keep(&bytes[..length.unwrap_or(bytes.len())]);
        match length {
            None => bytes.len(),
            Some(length) => {
                self.scan = ScanState::Between;
                self.finish();
                length
            }
        }
    }

    fn awaits_key(&self) -> bool {
        matches!(
            self.open.last(),
            Some(Container::Object {
                at: PickPosition::Key,
                ..
            })
        )
    }

    fn begin(&mut self) {
        if self.capture.is_some() || self.open.len() > DEPTH {
            return;
        }
        let keys = || {
            self.open.iter().filter_map(|container| match container {
                Container::Object { key, .. } => Some(key.as_slice()),
                Container::List => None,
            })
        };
        let found = self
            .wanted
            .iter()
            .find(|path| keys().eq(path.iter().map(|key| key.as_bytes())));
        if let Some(path) = found {
            self.capture = Some(ValueCapture {
                path,
                depth: self.open.len(),
                json: Vec::new(),
            });
        }
    }

    fn finish(&mut self) {
        let depth = self.open.len();
        if let Some(capture) = self.capture.take_if(|capture| capture.depth == depth)
            && capture.json.len() <= VALUE_BYTES
            && self.picks.len() < PICKS
        {
            self.picks.push(Pick {
                path: capture.path,
                json: capture.json,
            });
        }
        if depth == 0 && self.end == ValueEnd::Reading {
            self.end = ValueEnd::Closed;
        }
    }

    fn keep(&mut self, bytes: &[u8]) {
        if let Some(capture) = &mut self.capture
            && capture.json.len() <= VALUE_BYTES
        {
            // One byte too many marks a value that is too long.
            let room = VALUE_BYTES + 1 - capture.json.len();
            capture.json.extend_from_slice(&bytes[..bytes.len().min(room)]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WANTED: WantedPaths = &[&["usage"], &["message", "usage"], &["type"], &["c", "finish"]];

    fn picked(text: &str, piece: usize) -> (Vec<(String, String)>, bool) {
        let mut picker = Picker::new(WANTED);
        for bytes in text.as_bytes().chunks(piece) {
            picker.feed(bytes);
        }
        let picks = picker.take().into_iter();
        let picks = picks.map(|pick| (pick.path.join("."), String::from_utf8(pick.json).unwrap()));
        (picks.collect(), picker.is_closed())
    }

    #[test]
    fn wanted_values_are_found_wherever_the_pieces_are_cut() {
        let text = r#"{"type" : "a\"b", "message":{"text":"\"usage\":{\"x\":1}","usage":{"i":1,"d":[{"k":"}"}]}},"x":{"usage":3},"c":[{"finish":null},{"finish":"S"}],"usage":null}"#;
        let expected = [
            ("type", r#""a\"b""#),
            ("message.usage", r#"{"i":1,"d":[{"k":"}"}]}"#),
            ("c.finish", "null"),
            ("c.finish", r#""S""#),
            ("usage", "null"),
        ]
        .map(|(path, json)| (path.to_owned(), json.to_owned()));
        for piece in 1..=text.len() {
            assert_eq!(picked(text, piece), (expected.to_vec(), true), "{piece}");
        }
        let (picks, closed) = picked(&text[..text.len() - 1], 7);
        assert!(picks.len() >= 4 && !closed);
    }

    #[test]
    fn lists_at_the_top_are_looked_into() {
        let (picks, closed) = picked(r#"[{"usage":1},{"usage":2}]"#, 3);
        assert_eq!((picks.len(), picks[1].1.as_str(), closed), (2, "2", true));
    }

    #[test]
    fn memory_stays_small() {
        let mut picker = Picker::new(WANTED);
        picker.feed(b"{\"usage\":\"");
        for _ in 0..1000 {
            picker.feed(&[b'x'; 4096]);
        }
        assert!(
            picker
                .capture
                .as_ref()
                .is_some_and(|kept| kept.json.capacity() < 3 * VALUE_BYTES)
        );
        picker.feed(b"\"}");
        assert!(picker.take().is_empty() && picker.is_closed());
        let mut deep = Picker::new(WANTED);
        deep.feed(&vec![b'['; 1 << 20]);
        assert!(deep.open.len() <= DEPTH + 1 && !deep.is_closed());
        let mut garbage = Picker::new(WANTED);
        garbage.feed(b"}}}]]\"\"::");
        assert!(!garbage.is_closed());
    }
}
