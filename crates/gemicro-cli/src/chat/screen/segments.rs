//! Splits a long text into segments that can be laid out one by one.
//!
//! A segment ends where Markdown allows it, and is never much longer than [`MOST`]. So drawing a screen takes the same
//! time whether a text has a hundred bytes or a hundred million.

use std::ops::Range;

/// Length after which a segment ends at the next blank line.
const ENOUGH: usize = 2 << 10;
/// Length after which it ends at the next line end, or in the middle of a line.
const MOST: usize = 16 << 10;

/// A text that grows at its end.
#[derive(Debug, Default)]
pub(super) struct SegmentedText {
    text: String,
    segments: Vec<ScreenSegment>,
    /// Start of the first line that may still grow.
    scanned: usize,
    after_blank: bool,
    fence: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ScreenSegment {
    start: usize,
    /// The opening line of the code block that it begins in.
    pub(super) fence: Option<String>,
    /// Whether a blank line precedes it.
    pub(super) after_blank: bool,
}

impl SegmentedText {
    pub(super) fn new(text: &str) -> Self {
        let mut segmented = Self::default();
        segmented.push(text);
        segmented
    }

    /// Appends text; segments before the last do not change.
    pub(super) fn push(&mut self, piece: &str) {
        self.text.push_str(piece);
        if self.segments.is_empty() {
            self.segments.push(ScreenSegment {
                start: 0,
                fence: None,
                after_blank: false,
            });
        }
        while let Some(line) = self.next_line() {
            self.take(line.clone());
            self.scanned = line.end;
        }
    }

    /// The text as received.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn len(&self) -> usize {
        self.segments.len()
    }

    /// One segment and its text.
    pub(super) fn get(&self, idx: usize) -> Option<(&ScreenSegment, &str)> {
        let segment = self.segments.get(idx)?;
        let end = self
            .segments
            .get(idx + 1)
            .map_or(self.text.len(), |next| next.start);
        Some((segment, self.text.get(segment.start..end).unwrap_or_default()))
    }

    /// The next line that is complete, or too long to wait for its end.
    fn next_line(&self) -> Option<Range<usize>> {
        let rest = &self.text[self.scanned..];
        let near = rest.floor_char_boundary(MOST);
        let end = match rest[..near].find('\n') {
            Some(at) => at + 1,
            None if near < rest.len() => near,
            None => return None,
        };
        Some(self.scanned..self.scanned + end)
    }

    fn take(&mut self, line: Range<usize>) {
        let words = self.text[line.clone()].trim();
        let is_indented = self.text[line.clone()].starts_with([' ', '\t']);
        let size = line.start - self.segments.last().map_or(0, |segment| segment.start);
        let breathes = self.fence.is_none() && self.after_blank && !words.is_empty() && !is_indented;
        if size + line.len() > MOST || (size >= ENOUGH && breathes) {
            self.segments.push(ScreenSegment {
                start: line.start,
                fence: self.fence.clone(),
                after_blank: self.after_blank,
            });
        }
        self.after_blank = words.is_empty();
        let mark = ["```", "~~~"].into_iter().find(|mark| words.starts_with(mark));
        match (&self.fence, mark) {
            (None, Some(_)) if words.len() < 80 => self.fence = Some(words.to_owned()),
            (Some(open), Some(mark))
                if open.starts_with(mark) && words.trim_matches(['`', '~']).is_empty() =>
            {
                self.fence = None;
            }
            _ => {}
        }
    }
}
