//! Reads usage and end from an answer while it passes, without keeping it.

use memchr::memchr2;

use super::json::Picker;
use super::wire::{AnswerFacts, ReportedUsage, WireDialect};

#[derive(Debug)]
pub(super) struct AnswerReader {
    dialect: &'static dyn WireDialect,
    picker: Picker,
    form: Form,
    seen: AnswerFacts,
}

#[derive(Debug)]
enum Form {
    Json,
    /// Server-sent events, each with a JSON text.
    Events {
        line: SseLine,
        after_cr: bool,
    },
}

#[derive(Debug)]
enum SseLine {
    /// Its name so far, cut.
    Name(Vec<u8>),
    Data,
    Other,
}

impl AnswerReader {
    /// A reader for an answer with these headers.
    pub(super) fn new(dialect: &'static dyn WireDialect, content_type: &str) -> Self {
        let form = if content_type.starts_with("text/event-stream") {
            Form::Events {
                line: SseLine::Name(Vec::new()),
                after_cr: false,
            }
        } else {
            Form::Json
        };
        Self {
            picker: Picker::new(dialect.fact_paths()),
            dialect,
            form,
            seen: AnswerFacts::default(),
        }
    }

    pub(super) fn feed(&mut self, bytes: &[u8]) {
        match &self.form {
            Form::Json => {
                self.picker.feed(bytes);
                self.look();
            }
            Form::Events { .. } => self.feed_events(bytes),
        }
    }

    /// What the answer used, if that is certain by now; `at_end` where all of it has come.
    pub(super) fn result(&mut self, at_end: bool) -> Option<ReportedUsage> {
        let finished = match self.form {
            Form::Json => at_end && self.picker.is_closed(),
            Form::Events { .. } => {
                // Some end without the blank line.
                if at_end && self.picker.is_closed() {
                    self.look();
                }
                self.seen.finished
            }
        };
        self.seen.reported.filter(|_| finished && !self.seen.goes_on)
    }

    fn look(&mut self) {
        let picks = self.picker.take();
        if !picks.is_empty() {
            self.dialect.read_facts(&picks, &mut self.seen);
        }
    }

    fn feed_events(&mut self, mut bytes: &[u8]) {
        const LONGEST_NAME: usize = 8;
        while let [first, ..] = bytes {
            let Form::Events { line, after_cr } = &mut self.form else {
                return;
            };
            if std::mem::take(after_cr) && *first == b'\n' {
                bytes = &bytes[1..];
                continue;
            }
            let end = memchr2(b'\n', b'\r', bytes);
            let ends_in_cr = end.is_some_and(|end| bytes[end] == b'\r');
            let mut rest = &bytes[..end.unwrap_or(bytes.len())];
            bytes = &bytes[end.map_or(bytes.len(), |end| end + 1)..];
            if let SseLine::Name(name) = line {
                let colon = memchr::memchr(b':', rest);
                let part = &rest[..colon.unwrap_or(rest.len())];
                let room = LONGEST_NAME - name.len().min(LONGEST_NAME);
                name.extend_from_slice(&part[..part.len().min(room)]);
                if let Some(colon) = colon {
                    rest = &rest[colon + 1..];
                    *line = if name == b"data" {
                        SseLine::Data
                    } else {
                        SseLine::Other
                    };
                }
            }
            if matches!(line, SseLine::Data) {
                self.picker.feed(rest);
            }
            if end.is_none() {
                return;
            }
            let is_blank = matches!(line, SseLine::Name(name) if name.is_empty());
            *after_cr = ends_in_cr;
            *line = SseLine::Name(Vec::new());
            if is_blank {
                self.look();
                self.picker = Picker::new(self.dialect.fact_paths());
            } else {
                self.picker.feed(b"\n");
            }
        }
    }
}
