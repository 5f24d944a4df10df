//! The box above the editor that asks for permission.

use std::cell::Cell;
use std::time::Duration;

use gemicro_chat::ToolQuestion;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::{Block, Paragraph, Widget};

use super::theme::Theme;
use super::wrap::{self, span};
use crate::screen::text;

/// Keys within this time after the question appears were meant for something else.
const SETTLES_AFTER: Duration = Duration::from_millis(500);
/// Rows for the frame and the line of keys.
const FURNITURE: u16 = 3;
/// Maximum number of bytes of a question's text that are laid out. The rest is not shown, and the box says so.
const MAX_TEXT: usize = 64 << 10;

/// A question, and whether it was seen.
#[derive(Debug)]
pub(super) struct PendingQuestion {
    pub(super) question: ToolQuestion,
    asked_at: Duration,
    /// Whether it is on the screen.
    was_shown: Cell<bool>,
    /// Whether the end of its text was on the screen.
    end_was_shown: Cell<bool>,
    /// Number of text lines that fit on the screen.
    room: Cell<usize>,
    scrolled: Cell<usize>,
}

impl PendingQuestion {
    pub(super) fn new(question: ToolQuestion, now: Duration) -> Self {
        Self {
            question,
            asked_at: now,
            was_shown: Cell::new(false),
            end_was_shown: Cell::new(false),
            room: Cell::new(0),
            scrolled: Cell::new(0),
        }
    }

    /// Whether a key can be an answer: the question was on the screen for a moment without typing.
    pub(super) fn can_be_answered(&self, now: Duration) -> bool {
        self.was_shown.get() && self.is_settled(now)
    }

    /// Whether `y` allows it: the end of its text was shown too.
    pub(super) fn can_be_allowed(&self, now: Duration) -> bool {
        self.end_was_shown.get() && self.can_be_answered(now)
    }

    /// Restarts the settling time: the user is typing, so the key was meant for something else.
    pub(super) fn note_typing(&mut self, now: Duration) {
        self.asked_at = now;
    }

    fn is_settled(&self, now: Duration) -> bool {
        now.saturating_sub(self.asked_at) >= SETTLES_AFTER
    }

    /// Restarts the settling time, because this question is now the first in the queue.
    pub(super) fn ask_again(&mut self, now: Duration) {
        self.asked_at = now;
    }

    /// Shows the next page of a long text, or the previous one. Pages overlap by one line.
    pub(super) fn scroll(&mut self, is_down: bool) {
        let (scrolled, page) = (self.scrolled.get(), self.room.get().saturating_sub(2).max(1));
        self.scrolled.set(match is_down {
            true => scrolled + page,
            false => scrolled.saturating_sub(page),
        });
    }

    /// Number of rows that it needs.
    pub(super) fn rows(&self, columns: u16, theme: Theme) -> u16 {
        let n_lines = self.lines(columns, theme).len();
        u16::try_from(n_lines)
            .unwrap_or(u16::MAX)
            .saturating_add(FURNITURE)
    }

    pub(super) fn draw(&self, area: Rect, buffer: &mut Buffer, now: Duration, theme: Theme) {
        let mut lines = self.lines(area.width, theme);
        let room = usize::from(area.height.saturating_sub(FURNITURE));
        let is_shown = room > 0 && area.width > 12;
        self.was_shown.set(is_shown);
        self.room.set(room);
        let from = self.scrolled.get().min(lines.len().saturating_sub(room));
        self.scrolled.set(from);
        let n_below = lines.len().saturating_sub(room + from);
        // A text that is too long to be laid out never shows its end.
        if is_shown && n_below == 0 && self.question.text.len() <= MAX_TEXT {
            self.end_was_shown.set(true);
        }
        if lines.len() > room {
            lines = lines.split_off(from);
            lines.truncate(room);
            if let Some(last) = lines.last_mut().filter(|_| n_below > 0) {
                *last = Line::styled(format!("… {} more (PageDown)", n_below + 1), theme.warn());
            }
        }
        let keys = match (self.is_settled(now), self.end_was_shown.get()) {
            (false, _) => "…",
            (true, true) => "y allow · n deny (Enter, Esc: deny)",
            (true, false) if self.question.text.len() > MAX_TEXT => "n deny: it is too long to show",
            (true, false) => "PageDown to its end, then y allow · n deny (Enter, Esc: deny)",
        };
        lines.push(Line::styled(keys, theme.strong()));
        let title = format!(" May {} do this? ", text::cut(&self.question.tool, 40));
        let block = Block::bordered().title(title).border_style(theme.warn());
        Paragraph::new(lines).block(block).render(area, buffer);
    }

    fn lines(&self, columns: u16, theme: Theme) -> Vec<Line<'static>> {
        let words = &self.question.text;
        let shown = words.floor_char_boundary(MAX_TEXT);
        let room = usize::from(columns.saturating_sub(2)).max(1);
        let mut lines = wrap::wrap(&[span(&words[..shown], theme.plain())], room);
        if shown < words.len() {
            let left = format!("… {} bytes more, too long to show", words.len() - shown);
            lines.push(Line::styled(left, theme.bad()));
        }
        lines
    }
}
