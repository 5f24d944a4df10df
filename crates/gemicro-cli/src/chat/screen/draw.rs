//! Arranges the parts of the screen.

use ratatui::Frame;
use ratatui::layout::{Margin, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use super::state::{Activity, ScreenState};
use crate::chat::slash;
use crate::screen::text;

/// The prefix of the text being written.
const PROMPT: &str = "› ";
const MORE: &str = " more below: PageDown ";

/// The parts of a screen from top to bottom; those that do not fit are empty.
#[derive(Debug, Clone, Copy)]
struct ScreenParts {
    header: Rect,
    transcript: Rect,
    box_above: Rect,
    rule: Rect,
    editor: Rect,
    status: Rect,
}

impl ScreenState {
    pub(super) fn draw(&self, frame: &mut Frame<'_>) {
        let area = frame.area();
        if area.is_empty() {
            return;
        }
        let commands = self.commands();
        let places = self.places(area, commands.len());
        frame.render_widget(Paragraph::new(self.header(area.width)), places.header);
        let inner = places
            .transcript
            .inner(Margin::new(u16::from(area.width > 40), 0));
        let lines = self
            .transcript
            .lines(usize::from(inner.width), usize::from(inner.height));
        frame.render_widget(Paragraph::new(lines), inner);
        match self.questions.front() {
            Some(first) => first.draw(places.box_above, frame.buffer_mut(), self.now, self.theme),
            None => frame.render_widget(Paragraph::new(commands), places.box_above),
        }
        frame.render_widget(Paragraph::new(self.rule(area.width)), places.rule);
        frame.render_widget(
            Paragraph::new(self.status(usize::from(area.width))),
            places.status,
        );
        self.draw_editor(frame, places.editor);
    }

    fn draw_editor(&self, frame: &mut Frame<'_>, place: Rect) {
        let prompt = prompt_columns(place.width);
        let text = Rect {
            x: place.x + prompt,
            width: place.width - prompt,
            ..place
        };
        if prompt > 0 {
            frame.render_widget(Paragraph::new(Line::styled(PROMPT, self.theme.strong())), place);
        }
        let cursor = self.editor.draw(text, frame.buffer_mut());
        let is_written = self.questions.is_empty() && self.activity != Activity::Closing;
        if let Some(cursor) = cursor.filter(|_| is_written) {
            frame.set_cursor_position(cursor);
        }
    }

    fn places(&self, area: Rect, n_commands: usize) -> ScreenParts {
        let columns = area.width - prompt_columns(area.width);
        let written = u16::try_from(self.editor.n_rows(columns)).unwrap_or(u16::MAX);
        let mut left = area.height;
        let mut take = |rows: u16| {
            let taken = rows.min(left);
            left -= taken;
            taken
        };
        // The most important first: a row for writing, the status, the header, the rule.
        let question = self.questions.front();
        let most_written = if question.is_some() {
            1
        } else {
            (area.height / 3).max(1)
        };
        let editor = take(1);
        let status = take(u16::from(area.height > 2));
        let header = take(u16::from(area.height > 3));
        let rule = take(u16::from(area.height > 5));
        let editor = editor + take(written.min(most_written).saturating_sub(1));
        let above = match question {
            Some(first) => first.rows(area.width, self.theme),
            None => u16::try_from(n_commands).unwrap_or(0).min(area.height / 2),
        };
        let above = take(above);
        let mut y = area.y;
        let mut next = |height: u16| {
            let place = Rect { y, height, ..area };
            y += height;
            place
        };
        ScreenParts {
            header: next(header),
            transcript: next(left),
            box_above: next(above),
            rule: next(rule),
            editor: next(editor),
            status: next(status),
        }
    }

    fn header(&self, columns: u16) -> Line<'static> {
        let columns = usize::from(columns);
        let speaker = text::cut(&self.speaker, columns / 2);
        let room = columns.saturating_sub(text::width(&speaker) + 1);
        let name = text::cut(
            if self.name.is_empty() {
                "gemicro chat"
            } else {
                &self.name
            },
            room,
        );
        let gap = columns.saturating_sub(text::width(&name) + text::width(&speaker));
        Line::from(vec![
            Span::styled(name, self.theme.strong()),
            Span::raw(" ".repeat(gap)),
            Span::styled(speaker, self.theme.faint()),
        ])
    }

    /// The line above the editor; it shows when the end of the transcript is out of sight.
    fn rule(&self, columns: u16) -> Line<'static> {
        let columns = usize::from(columns);
        if self.transcript.is_at_end() || columns < MORE.len() {
            return Line::styled("─".repeat(columns), self.theme.faint());
        }
        let side = "─".repeat((columns - MORE.len()) / 2);
        let other = "─".repeat(columns - MORE.len() - text::width(&side));
        Line::from(vec![
            Span::styled(side, self.theme.faint()),
            Span::styled(MORE, self.theme.warn()),
            Span::styled(other, self.theme.faint()),
        ])
    }

    /// The commands that match the text so far.
    fn commands(&self) -> Vec<Line<'static>> {
        let written = self.editor.text();
        let line = |it: &&slash::SlashCommand| {
            let usage = format!("  {} {}", it.name, it.takes);
            Line::from(vec![
                Span::raw(text::pad(&usage, 18)),
                Span::styled(it.does, self.theme.faint()),
            ])
        };
        slash::beginning_with(&written).iter().map(line).collect()
    }
}

/// Width of the prompt; zero on very narrow screens.
fn prompt_columns(width: u16) -> u16 {
    if width > 8 { 2 } else { 0 }
}
