//! The message that is being written, and those before it.
//!
//! Long pastes stand aside and are named in the text (`[paste 1: 2,314 lines, 1.2 MB]`); they come back when the
//! message is sent. So the text that is edited stays small.

use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::widgets::Widget;
use ratatui_textarea::{CursorMove, Input, TextArea, WrapMode};

use crate::chat::message;
use crate::screen::{numbers, text};

/// A paste of more bytes or lines stands aside.
const MAX_PASTED_BYTES: usize = 2 << 10;
const MAX_PASTED_LINES: usize = 12;
/// The most that is edited at once.
const MAX_EDITED_BYTES: usize = 32 << 10;
/// Messages that can be called back.
const MAX_HISTORY: usize = 200;

/// A message that is not sent yet.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Draft {
    text: String,
    pastes: Vec<String>,
}

/// Where a message is written.
#[derive(Debug)]
pub(super) struct Editor {
    area: TextArea<'static>,
    pastes: Vec<String>,
    history: Vec<Draft>,
    /// The place in the history that is shown, and what was written before.
    walk: Option<(usize, Draft)>,
}

impl Editor {
    /// Nothing is written yet.
    pub(super) fn new() -> Self {
        Self {
            area: area(""),
            pastes: Vec::new(),
            history: Vec::new(),
            walk: None,
        }
    }

    pub(super) fn text(&self) -> String {
        self.area.lines().join("\n")
    }

    /// Whether nothing is written.
    pub(super) fn is_empty(&self) -> bool {
        self.area.is_empty()
    }

    /// What would be sent, pastes in their places.
    pub(super) fn message(&self) -> String {
        let text = self.text();
        let (mut rest, mut message) = (text.as_str(), String::new());
        let marks: Vec<(String, &String)> = self
            .pastes
            .iter()
            .enumerate()
            .map(|(idx, paste)| (mark(idx, paste), paste))
            .collect();
        loop {
            let found = marks.iter().filter_map(|it| Some((rest.find(&it.0)?, it)));
            let Some((at, (mark, paste))) = found.min_by_key(|(at, _)| *at) else {
                message.push_str(rest);
                return message;
            };
            message.push_str(&rest[..at]);
            message.push_str(paste);
            rest = &rest[at + mark.len()..];
        }
    }

    /// Takes what is written and remembers it.
    pub(super) fn take(&mut self) -> Draft {
        let draft = self.draft();
        if self.history.last() != Some(&draft) {
            self.history.push(draft.clone());
        }
        if self.history.len() > MAX_HISTORY {
            self.history.remove(0);
        }
        self.clear();
        draft
    }

    /// Throws away what is written.
    pub(super) fn clear(&mut self) {
        self.show(Draft::default());
        self.walk = None;
    }

    /// Puts something there instead.
    pub(super) fn show(&mut self, draft: Draft) {
        self.area = area(&draft.text);
        self.pastes = draft.pastes;
    }

    /// Replaces the text by one without pastes.
    pub(super) fn replace(&mut self, text: &str) {
        self.area = area(text);
    }

    /// A key that means something to a text alone; `Err` says why it was not taken.
    pub(super) fn key(&mut self, key: KeyEvent) -> Result<(), String> {
        let mut input = Input::from(key);
        // Nothing is ever marked: that would only look like something could be done with it.
        input.shift = false;
        if self.n_bytes() > MAX_EDITED_BYTES && key.code.as_char().is_some() {
            return Err("this is too long; put it in a file and mention the file".to_owned());
        }
        self.area.input(input);
        Ok(())
    }

    /// Begins a new line.
    pub(super) fn new_line(&mut self) {
        self.area.insert_newline();
    }

    /// Turns a backslash before the cursor into a new line; whether there was one.
    pub(super) fn new_line_for_backslash(&mut self) -> bool {
        let cursor = self.area.cursor();
        let line = self.area.lines().get(cursor.0);
        let is_there = line.is_some_and(|line| line.chars().take(cursor.1).last() == Some('\\'));
        if is_there {
            self.area.delete_char();
            self.new_line();
        }
        is_there
    }

    /// Deletes from the beginning of the line to the cursor.
    pub(super) fn delete_to_head(&mut self) {
        self.area.delete_line_by_head();
    }

    /// Takes a paste that is clean already; `Err` says why not.
    pub(super) fn paste(&mut self, paste: &str) -> Result<(), String> {
        let n_held: usize = self.pastes.iter().map(String::len).sum();
        let n_bytes = self.n_bytes() + n_held + paste.len();
        if n_bytes > message::MAX_BYTES {
            return Err(message::too_long(n_bytes));
        }
        let is_long = paste.len() > MAX_PASTED_BYTES || paste.lines().count() > MAX_PASTED_LINES;
        if !is_long && self.n_bytes() + paste.len() <= MAX_EDITED_BYTES {
            self.area.insert_str(paste);
        } else {
            self.area.insert_str(mark(self.pastes.len(), paste));
            self.pastes.push(paste.to_owned());
        }
        Ok(())
    }

    /// A row up; in the first row, one message back.
    pub(super) fn up(&mut self) {
        if self.moves(CursorMove::Up) {
            return;
        }
        let place = self.walk.as_ref().map_or(self.history.len(), |(place, _)| *place);
        let Some(place) = place.checked_sub(1) else {
            return;
        };
        let written = self
            .walk
            .take()
            .map_or_else(|| self.draft(), |(_, written)| written);
        self.walk = Some((place, written));
        self.show(self.history[place].clone());
    }

    /// A row down; in the last row, one message on.
    pub(super) fn down(&mut self) {
        if self.moves(CursorMove::Down) {
            return;
        }
        let Some((place, written)) = self.walk.take() else {
            return;
        };
        match self.history.get(place + 1).cloned() {
            Some(draft) => {
                self.walk = Some((place + 1, written));
                self.show(draft);
            }
            None => self.show(written),
        }
    }

    /// Rows that the text takes.
    pub(super) fn n_rows(&self, columns: u16) -> usize {
        // The row of the cursor, in a text whose cursor is at its end.
        let whole = area(&self.text());
        let row = Rect::new(0, 0, columns.max(1), 1);
        whole.render(row, &mut Buffer::empty(row));
        whole.screen_cursor().row + 1
    }

    /// Draws the text and says where the cursor is.
    pub(super) fn draw(&self, rect: Rect, buffer: &mut Buffer) -> Option<Position> {
        if rect.is_empty() {
            return None;
        }
        let lines = self.area.lines();
        let visible: Vec<String> = lines.iter().map(|line| text::visible_text(line)).collect();
        if visible != lines {
            // The same text with characters pictured that turn it around or hide in it, one for one.
            let mut pictured = area(&visible.join("\n"));
            let cursor = self.area.cursor();
            let clamp = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
            pictured.move_cursor(CursorMove::Jump(clamp(cursor.0), clamp(cursor.1)));
            return draw(&pictured, rect, buffer);
        }
        draw(&self.area, rect, buffer)
    }

    fn draft(&self) -> Draft {
        Draft {
            text: self.text(),
            pastes: self.pastes.clone(),
        }
    }

    /// Moves the cursor; whether there was a way to go.
    fn moves(&mut self, way: CursorMove) -> bool {
        let before = self.area.cursor();
        self.area.move_cursor(way);
        self.area.cursor() != before
    }

    fn n_bytes(&self) -> usize {
        self.area.lines().iter().map(|line| line.len() + 1).sum()
    }
}

/// Names a paste in the text.
fn mark(idx: usize, paste: &str) -> String {
    format!(
        "[paste {}: {}, {}]",
        idx + 1,
        numbers::count(paste.lines().count(), "line"),
        numbers::bytes(paste.len() as u64)
    )
}

/// A text with the cursor at its end.
fn area(text: &str) -> TextArea<'static> {
    let mut area = TextArea::from(text.split('\n'));
    area.set_wrap_mode(WrapMode::WordOrGlyph);
    // The terminal's own cursor is shown instead.
    area.set_cursor_style(Style::new());
    area.set_cursor_line_style(Style::new());
    area.move_cursor(CursorMove::Bottom);
    area.move_cursor(CursorMove::End);
    area
}

fn draw(area: &TextArea<'_>, rect: Rect, buffer: &mut Buffer) -> Option<Position> {
    area.render(rect, buffer);
    let cursor = area.screen_cursor();
    let row = cursor.row.checked_sub(usize::from(area.scroll_offset().0))?;
    let row = u16::try_from(row).ok().filter(|row| *row < rect.height)?;
    let column = u16::try_from(cursor.col).unwrap_or(u16::MAX).min(rect.width - 1);
    Some(Position::new(rect.x + column, rect.y + row))
}
