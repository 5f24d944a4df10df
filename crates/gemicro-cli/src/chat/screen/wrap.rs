//! Breaks styled text into lines of a given width.

use ratatui::style::Style;
use ratatui::text::{Line, Span};
use unicode_segmentation::UnicodeSegmentation;

use crate::screen::text;

/// The replacement for a tab.
const TAB: &str = "    ";

/// A span of external text, made harmless for the terminal.
pub(super) fn span(words: &str, style: Style) -> Span<'static> {
    Span::styled(text::neutral(words).replace('\t', TAB), style)
}

/// Breaks at spaces and line ends; words that are longer than a line are cut.
pub(super) fn wrap(spans: &[Span<'_>], columns: usize) -> Vec<Line<'static>> {
    let mut wrapping = WrapState::new(columns);
    for span in spans {
        for grapheme in span.content.graphemes(true) {
            wrapping.take(grapheme, span.style);
        }
    }
    wrapping.end()
}

/// Cuts at line ends and at the last column, which suits code.
pub(super) fn chop(words: &str, style: Style, columns: usize) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    for line in span(words, style).content.lines() {
        let (mut kept, mut used) = (String::new(), 0);
        for grapheme in line.graphemes(true) {
            let width = text::width(grapheme);
            if used + width > columns && !kept.is_empty() {
                lines.push(Line::styled(std::mem::take(&mut kept), style));
                used = 0;
            }
            kept.push_str(grapheme);
            used += width;
        }
        lines.push(Line::styled(kept, style));
    }
    lines
}

/// Width of a line of spans.
pub(super) fn width(spans: &[Span<'_>]) -> usize {
    spans.iter().map(|span| text::width(&span.content)).sum()
}

struct WrapState<'a> {
    columns: usize,
    done: Vec<Line<'static>>,
    line: Vec<(&'a str, Style, usize)>,
    used: usize,
    /// Start of the last word, if something precedes it.
    word: Option<usize>,
}

impl<'a> WrapState<'a> {
    fn new(columns: usize) -> Self {
        Self {
            columns: columns.max(1),
            done: Vec::new(),
            line: Vec::new(),
            used: 0,
            word: None,
        }
    }

    fn take(&mut self, grapheme: &'a str, style: Style) {
        if grapheme == "\n" {
            self.break_at(self.line.len());
            return;
        }
        let width = text::width(grapheme);
        let is_blank = grapheme == " ";
        while self.used + width > self.columns && !self.line.is_empty() {
            self.break_at(if is_blank {
                self.line.len()
            } else {
                self.word.unwrap_or(self.line.len())
            });
            if is_blank {
                return;
            }
        }
        self.line.push((grapheme, style, width));
        self.used += width;
        if is_blank {
            self.word = Some(self.line.len());
        }
    }

    fn break_at(&mut self, at: usize) {
        let rest = self.line.split_off(at);
        let kept = std::mem::replace(&mut self.line, rest);
        self.used = self.line.iter().map(|(_, _, width)| width).sum();
        self.word = None;
        self.done.push(join_spans(&kept));
    }

    fn end(mut self) -> Vec<Line<'static>> {
        if !self.line.is_empty() {
            self.break_at(self.line.len());
        }
        self.done
    }
}

fn join_spans(graphemes: &[(&str, Style, usize)]) -> Line<'static> {
    let blanks = graphemes
        .iter()
        .rev()
        .take_while(|(grapheme, _, _)| *grapheme == " ")
        .count();
    let mut spans: Vec<Span<'static>> = Vec::new();
    for (grapheme, style, _) in &graphemes[..graphemes.len() - blanks] {
        match spans.last_mut().filter(|last| last.style == *style) {
            Some(last) => last.content.to_mut().push_str(grapheme),
            None => spans.push(Span::styled((*grapheme).to_owned(), *style)),
        }
    }
    Line::from(spans)
}
