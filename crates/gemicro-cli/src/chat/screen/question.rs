//! The question that waits for leave, as a box above the editor.

use std::cell::Cell;
use std::time::Duration;

use gemicro_engine::Question;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::{Block, Paragraph, Widget};

use super::theme::Theme;
use super::wrap::{self, span};
use crate::screen::text;

/// Keys within this time were meant for something else.
const SETTLES_AFTER: Duration = Duration::from_millis(500);
/// The frame and the line of keys.
const FURNITURE: u16 = 3;
/// Text of a question that is laid out; more of it is not shown, and told.
const MAX_TEXT: usize = 64 << 10;

/// A question, and whether it was seen.
#[derive(Debug)]
pub(super) struct Pending {
    /// What is asked.
    pub(super) question: Question,
    asked_at: Duration,
    /// It stood on the screen, as far as it was scrolled.
    was_shown: Cell<bool>,
    scrolled: usize,
}

impl Pending {
    /// Asked just now.
    pub(super) fn new(question: Question, now: Duration) -> Self {
        Self {
            question,
            asked_at: now,
            was_shown: Cell::new(false),
            scrolled: 0,
        }
    }

    /// Whether a key can be an answer: the question was on the screen for a moment in which nobody typed.
    pub(super) fn can_be_answered(&self, now: Duration) -> bool {
        self.was_shown.get() && self.is_settled(now)
    }

    /// Somebody types: that was meant for something else, and the moment begins again.
    pub(super) fn typed(&mut self, now: Duration) {
        self.asked_at = now;
    }

    fn is_settled(&self, now: Duration) -> bool {
        now.saturating_sub(self.asked_at) >= SETTLES_AFTER
    }

    /// Begins its moment again: it became the first in line.
    pub(super) fn ask_again(&mut self, now: Duration) {
        self.asked_at = now;
    }

    /// Shows later lines of a long text, or earlier ones.
    pub(super) fn scroll(&mut self, is_down: bool) {
        self.scrolled = if is_down {
            self.scrolled + 1
        } else {
            self.scrolled.saturating_sub(1)
        };
    }

    /// Rows that it needs.
    pub(super) fn rows(&self, columns: u16, theme: Theme) -> u16 {
        let n_lines = self.lines(columns, theme).len();
        u16::try_from(n_lines)
            .unwrap_or(u16::MAX)
            .saturating_add(FURNITURE)
    }

    /// Draws it.
    pub(super) fn draw(&self, area: Rect, buffer: &mut Buffer, now: Duration, theme: Theme) {
        let mut lines = self.lines(area.width, theme);
        let room = usize::from(area.height.saturating_sub(FURNITURE));
        self.was_shown.set(room > 0 && area.width > 12);
        if lines.len() > room {
            let from = self.scrolled.min(lines.len() - room);
            let n_below = lines.len() - room - from;
            lines = lines.split_off(from);
            lines.truncate(room);
            if let Some(last) = lines.last_mut().filter(|_| n_below > 0) {
                *last = Line::styled(format!("… {} more (PageDown)", n_below + 1), theme.warn());
            }
        }
        let keys = if self.is_settled(now) {
            "y allow · n refuse (Enter, Esc: refuse)"
        } else {
            "…"
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
            let left = format!("… {} bytes more, too long to be shown", words.len() - shown);
            lines.push(Line::styled(left, theme.bad()));
        }
        lines
    }
}
