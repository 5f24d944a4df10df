//! What was said so far, and which part of it is in sight.
//!
//! Only what is in sight is laid out, from the end or from the line that was scrolled to; what was laid out is kept
//! until the width changes or there is too much of it.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use gemicro_chat::{ToolLine, ToolState};
use ratatui::text::Line;

use super::layout::{self, EntryKind};
use super::segments::SegmentedText;
use super::theme::Theme;

/// Lines that are kept laid out.
const MAX_KEPT_LINES: usize = 20_000;

/// The transcript of one conversation.
#[derive(Debug)]
pub(super) struct ScreenTranscript {
    theme: Theme,
    entries: Vec<TranscriptEntry>,
    next_id: u64,
    /// The answer on its way: entries from this place on.
    live_from: Option<usize>,
    scroll: Scroll,
    /// Columns and rows when it was last drawn.
    sight: Cell<(usize, usize)>,
    laid_out: RefCell<LaidOut>,
}

#[derive(Debug)]
struct TranscriptEntry {
    id: u64,
    kind: EntryKind,
    text: SegmentedText,
    /// The number of its turn.
    turn: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scroll {
    End,
    /// Stays where this line is the first: an entry's id, a piece, a line.
    At(u64, usize, usize),
}

/// A line: an entry, a piece of it, a line of that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct LinePosition {
    entry: usize,
    segment: usize,
    line: usize,
}

#[derive(Debug, Default)]
struct LaidOut {
    columns: usize,
    n_lines: usize,
    lines: HashMap<(u64, usize), Rc<Vec<Line<'static>>>>,
}

impl ScreenTranscript {
    /// Nothing was said yet.
    pub(super) fn new(theme: Theme) -> Self {
        Self {
            theme,
            entries: Vec::new(),
            next_id: 0,
            live_from: None,
            scroll: Scroll::End,
            sight: Cell::new((80, 24)),
            laid_out: RefCell::default(),
        }
    }

    /// Adds something at the end.
    pub(super) fn push(&mut self, kind: EntryKind, text: &str, turn: Option<u64>) {
        self.entries.push(TranscriptEntry {
            id: self.next_id,
            kind,
            text: SegmentedText::new(text),
            turn,
        });
        self.next_id += 1;
    }

    /// From now on what comes belongs to one answer.
    pub(super) fn begin_answer(&mut self) {
        self.live_from = Some(self.entries.len());
    }

    /// Appends to the answer.
    pub(super) fn append(&mut self, piece: &str) {
        match self.entries.last_mut().filter(|_| self.live_from.is_some()) {
            Some(last) if last.kind == EntryKind::Assistant && last.turn.is_none() => {
                let from = last.text.len().saturating_sub(1);
                last.text.push(piece);
                self.laid_out.borrow_mut().forget(last.id, from);
            }
            _ => self.push(EntryKind::Assistant, piece, None),
        }
    }

    /// Shows a tool; the same id again replaces its line.
    pub(super) fn tool(&mut self, tool: &ToolLine) {
        let kind = EntryKind::Tool(tool.id.clone(), tool.state);
        let live = self.live_from.unwrap_or(self.entries.len());
        let known = self.entries.iter_mut().skip(live).find(|it| match &it.kind {
            EntryKind::Tool(id, _) => *id == tool.id,
            _ => false,
        });
        match known {
            Some(entry) => {
                entry.kind = kind;
                entry.text = SegmentedText::new(&tool.text);
                self.laid_out.borrow_mut().forget(entry.id, 0);
            }
            None => self.push(kind, &tool.text, None),
        }
    }

    /// What was shown of the answer does not count.
    pub(super) fn start_over(&mut self) {
        self.drop_live(|kind| matches!(kind, EntryKind::Assistant | EntryKind::Tool(..)));
    }

    /// The answer as it is now; it replaces the pieces before.
    pub(super) fn answer(&mut self, text: &str, turn: u64) {
        let live = self.live_from.unwrap_or(self.entries.len());
        let is_piece = |it: &&mut TranscriptEntry| it.kind == EntryKind::Assistant;
        let streamed: Vec<&mut TranscriptEntry> =
            self.entries.iter_mut().skip(live).filter(is_piece).collect();
        let shown: String = streamed.iter().map(|it| it.text.text()).collect();
        if shown.trim() == text.trim() && !streamed.is_empty() {
            // It stands there already, its tools in between.
            streamed.into_iter().for_each(|it| it.turn = Some(turn));
        } else {
            self.drop_live(|kind| *kind == EntryKind::Assistant);
            self.push(EntryKind::Assistant, text, Some(turn));
        }
    }

    /// What came of the answer stays as it is; tools that still ran were stopped with it.
    pub(super) fn end_answer(&mut self) {
        let live = self.live_from.unwrap_or(self.entries.len());
        for entry in self.entries.iter_mut().skip(live) {
            if let EntryKind::Tool(_, state @ ToolState::Running) = &mut entry.kind {
                *state = ToolState::Stopped;
                self.laid_out.borrow_mut().forget(entry.id, 0);
            }
        }
        self.live_from = None;
    }

    /// Takes back everything from this turn on.
    pub(super) fn take_back(&mut self, from: u64) {
        let first = self
            .entries
            .iter()
            .position(|it| it.turn.is_some_and(|turn| turn >= from));
        if let Some(first) = first {
            self.entries.truncate(first);
        }
        self.live_from = None;
    }

    /// Whether the end is in sight.
    pub(super) fn is_at_end(&self) -> bool {
        self.scroll == Scroll::End
    }

    /// Follows what comes again.
    pub(super) fn follow(&mut self) {
        self.scroll = Scroll::End;
    }

    pub(super) fn page_up(&mut self) {
        let (_, rows) = self.sight.get();
        let Some(top) = self
            .top()
            .or_else(|| self.up(self.last()?, rows.saturating_sub(1)))
        else {
            return;
        };
        let page = rows.saturating_sub(1).max(1);
        let above = (1..=page).rev().find_map(|n| self.up(top, n));
        self.scroll_to(above.unwrap_or(top));
    }

    pub(super) fn page_down(&mut self) {
        let (_, rows) = self.sight.get();
        let page = rows.saturating_sub(1).max(1);
        match self.top().and_then(|top| self.down(top, page)) {
            Some(top) if self.down(top, page).is_some() => self.scroll_to(top),
            _ => self.follow(),
        }
    }

    /// The lines in sight.
    pub(super) fn lines(&self, columns: usize, rows: usize) -> Vec<Line<'static>> {
        self.sight.set((columns, rows));
        if rows == 0 {
            return Vec::new();
        }
        if let Some(top) = self.top() {
            let places = std::iter::successors(Some(top), |place| self.after(*place));
            let lines: Vec<_> = places.take(rows).filter_map(|place| self.line(place)).collect();
            if lines.len() == rows {
                return lines;
            }
        }
        let places = std::iter::successors(self.last(), |place| self.before(*place));
        let mut lines: Vec<_> = places.take(rows).filter_map(|place| self.line(place)).collect();
        lines.reverse();
        lines
    }

    /// Lines that are kept laid out.
    #[cfg(test)]
    pub(super) fn n_laid_out(&self) -> usize {
        self.laid_out.borrow().n_lines
    }

    fn drop_live(&mut self, is_out: impl Fn(&EntryKind) -> bool) {
        let live = self.live_from.unwrap_or(self.entries.len());
        let kept = self
            .entries
            .split_off(live)
            .into_iter()
            .filter(|it| !is_out(&it.kind));
        self.entries.extend(kept.collect::<Vec<_>>());
    }

    fn scroll_to(&mut self, place: LinePosition) {
        let entry = self.entries.get(place.entry);
        self.scroll = entry.map_or(Scroll::End, |it| Scroll::At(it.id, place.segment, place.line));
    }

    /// The first line in sight, unless the end is.
    fn top(&self) -> Option<LinePosition> {
        let Scroll::At(id, segment, line) = self.scroll else {
            return None;
        };
        let entry = self.entries.partition_point(|it| it.id < id);
        let found = self.entries.get(entry)?;
        if found.id != id {
            return self.first_from(entry, 0);
        }
        let segment = segment.min(found.text.len().saturating_sub(1));
        match self.segment(entry, segment).len() {
            0 => self.first_from(entry, segment),
            n => Some(LinePosition {
                entry,
                segment,
                line: line.min(n - 1),
            }),
        }
    }

    fn last(&self) -> Option<LinePosition> {
        let end = LinePosition {
            entry: self.entries.len(),
            segment: 0,
            line: 0,
        };
        self.before(end)
    }

    fn up(&self, from: LinePosition, n: usize) -> Option<LinePosition> {
        (0..n).try_fold(from, |place, _| self.before(place))
    }

    fn down(&self, from: LinePosition, n: usize) -> Option<LinePosition> {
        (0..n).try_fold(from, |place, _| self.after(place))
    }

    fn after(&self, place: LinePosition) -> Option<LinePosition> {
        if place.line + 1 < self.segment(place.entry, place.segment).len() {
            return Some(LinePosition {
                line: place.line + 1,
                ..place
            });
        }
        self.first_from(place.entry, place.segment + 1)
    }

    /// The first line of this piece, or of the next that has one.
    fn first_from(&self, mut entry: usize, mut segment: usize) -> Option<LinePosition> {
        loop {
            let found = self.entries.get(entry)?;
            if segment >= found.text.len() {
                (entry, segment) = (entry + 1, 0);
            } else if self.segment(entry, segment).is_empty() {
                segment += 1;
            } else {
                return Some(LinePosition {
                    entry,
                    segment,
                    line: 0,
                });
            }
        }
    }

    fn before(&self, place: LinePosition) -> Option<LinePosition> {
        if let Some(line) = place.line.checked_sub(1) {
            return Some(LinePosition { line, ..place });
        }
        let (mut entry, mut segment) = (place.entry, place.segment);
        loop {
            if segment == 0 {
                entry = entry.checked_sub(1)?;
                segment = self.entries[entry].text.len();
                continue;
            }
            segment -= 1;
            if let Some(line) = self.segment(entry, segment).len().checked_sub(1) {
                return Some(LinePosition { entry, segment, line });
            }
        }
    }

    fn line(&self, place: LinePosition) -> Option<Line<'static>> {
        self.segment(place.entry, place.segment).get(place.line).cloned()
    }

    /// A piece, laid out.
    fn segment(&self, entry: usize, segment: usize) -> Rc<Vec<Line<'static>>> {
        let Some(found) = self.entries.get(entry) else {
            return Rc::default();
        };
        let (columns, _) = self.sight.get();
        let mut laid_out = self.laid_out.borrow_mut();
        laid_out.get((found.id, segment), columns, || {
            layout::lay_out(&found.kind, &found.text, segment, columns, self.theme)
        })
    }
}

impl LaidOut {
    fn get(
        &mut self,
        key: (u64, usize),
        columns: usize,
        lay_out: impl FnOnce() -> Vec<Line<'static>>,
    ) -> Rc<Vec<Line<'static>>> {
        if self.columns != columns || self.n_lines > MAX_KEPT_LINES {
            *self = Self {
                columns,
                ..Self::default()
            };
        }
        if let Some(lines) = self.lines.get(&key) {
            return Rc::clone(lines);
        }
        let lines = Rc::new(lay_out());
        self.n_lines += lines.len();
        self.lines.insert(key, Rc::clone(&lines));
        lines
    }

    /// Forgets an entry from this piece on; later pieces were not there yet.
    fn forget(&mut self, id: u64, segment: usize) {
        if let Some(lines) = self.lines.remove(&(id, segment)) {
            self.n_lines -= lines.len();
        }
    }
}
