//! The editor for a message, with a history of earlier ones.
//!
//! Long pastes are stored separately and only named in the text (`[paste 1: 2,314 lines, 1.2 MB]`); they are inserted
//! when the message is sent. So the edited text stays small.

use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::widgets::Widget;
use ratatui_textarea::{CursorMove, Input, TextArea, WrapMode};

use crate::chat::message;
use crate::screen::{numbers, text};

/// A paste with more bytes or lines is stored separately.
const MAX_PASTED_BYTES: usize = 2 << 10;
const MAX_PASTED_LINES: usize = 12;
/// Maximum size of the edited text in bytes.
const MAX_EDITED_BYTES: usize = 32 << 10;
/// Maximum number of earlier messages that are kept.
const MAX_HISTORY: usize = 200;

/// A message that is not sent yet.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Draft {
    text: String,
    pastes: Vec<String>,
}

/// The editor of a message.
#[derive(Debug)]
pub(super) struct Editor {
    area: TextArea<'static>,
    pastes: Vec<String>,
    history: Vec<Draft>,
    /// The position in the history that is shown, and the draft from before.
    walk: Option<(usize, Draft)>,
}

impl Editor {
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

    /// Whether the text is empty.
    pub(super) fn is_empty(&self) -> bool {
        self.area.is_empty()
    }

    /// The message to send, with pastes inserted.
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

    /// Takes the text and adds it to the history.
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

    pub(super) fn clear(&mut self) {
        self.show(Draft::default());
        self.walk = None;
    }

    /// Shows another draft instead.
    pub(super) fn show(&mut self, draft: Draft) {
        self.area = area(&draft.text);
        self.pastes = draft.pastes;
    }

    /// Replaces the text by one without pastes.
    pub(super) fn replace(&mut self, text: &str) {
        self.area = area(text);
    }

    /// Handles an editing key; `Err` says why it was refused.
    pub(super) fn key(&mut self, key: KeyEvent) -> Result<(), String> {
        let mut input = Input::from(key);
        // There is no selection: it would have no use.
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

    /// Turns a backslash before the cursor into a new line; returns whether there was one.
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

    /// Takes a paste that is already clean; `Err` says why not.
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

    /// Moves a row up; in the first row, to the message before.
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

    /// Moves a row down; in the last row, to the next message.
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

    /// Number of rows that the text needs.
    pub(super) fn n_rows(&self, columns: u16) -> usize {
        // The row of the cursor when it is at the end of the text.
        let whole = area(&self.text());
        let row = Rect::new(0, 0, columns.max(1), 1);
        whole.render(row, &mut Buffer::empty(row));
        whole.screen_cursor().row + 1
    }

    /// Draws the text and returns the cursor's position.
    pub(super) fn draw(&self, rect: Rect, buffer: &mut Buffer) -> Option<Position> {
        if rect.is_empty() {
            return None;
        }
        let lines = self.area.lines();
        let visible: Vec<String> = lines.iter().map(|line| text::visible_text(line)).collect();
        if visible != lines {
            // The same text, with characters that are invisible or reverse the text replaced one for one by visible
            // ones.
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

    /// Moves the cursor; returns whether it moved.
    fn moves(&mut self, way: CursorMove) -> bool {
        let before = self.area.cursor();
        self.area.move_cursor(way);
        self.area.cursor() != before
    }

    fn n_bytes(&self) -> usize {
        self.area.lines().iter().map(|line| line.len() + 1).sum()
    }
}

/// The placeholder of a paste in the text.
fn mark(idx: usize, paste: &str) -> String {
    format!(
        "[paste {}: {}, {}]",
        idx + 1,
        numbers::count(paste.lines().count(), "line"),
        numbers::bytes(paste.len() as u64)
    )
}

/// A text area with the cursor at its end.
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
