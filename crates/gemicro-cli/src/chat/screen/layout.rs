//! Lays out one segment of one entry as lines.

use gemicro_chat::ToolState;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::markdown;
use super::segments::{ScreenSegment, SegmentedText};
use super::theme::Theme;
use super::wrap::{self, span};
use crate::chat::words;
use crate::screen::text;

/// Minimum width for indenting lines.
const MIN_INDENTED: usize = 12;
/// Width of the indent.
const INDENT: usize = 2;

/// The kind of an entry in the transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum EntryKind {
    /// A message from the user.
    User,
    /// An answer, in Markdown.
    Assistant,
    /// A tool call: its id and state.
    Tool(String, ToolState),
    Notice,
    /// Preformatted lines: help, a list.
    Page,
    /// Something went wrong, without harm.
    Warning,
    /// There is no answer.
    Failure,
    /// What to do about a failure.
    Hint,
}

/// Lays out one segment of a text.
pub(super) fn lay_out(
    kind: &EntryKind,
    text: &SegmentedText,
    segment_idx: usize,
    columns: usize,
    theme: Theme,
) -> Vec<Line<'static>> {
    let Some((segment, words)) = text.get(segment_idx) else {
        return Vec::new();
    };
    let indent = if columns < MIN_INDENTED { 0 } else { INDENT };
    let room = columns.saturating_sub(indent).max(1);
    let is_first = segment_idx == 0;
    let (mark, mark_style, style) = looks(kind, theme);
    let mut body = match kind {
        EntryKind::Assistant => markdown(segment, words, room, theme),
        EntryKind::Tool(_, state) => {
            // One line: the first segment of a long text is enough.
            let end = words::tool_end(*state);
            let words = text::cut(words, room.saturating_sub(text::width(end)));
            let line = Line::styled(format!("{words}{end}"), style);
            is_first.then_some(line).into_iter().collect()
        }
        EntryKind::User
        | EntryKind::Notice
        | EntryKind::Page
        | EntryKind::Warning
        | EntryKind::Failure
        | EntryKind::Hint => wrap::wrap(&[span(words, style)], room),
    };
    if indent > 0 {
        for (idx, line) in body.iter_mut().enumerate() {
            let mark = if is_first && idx == 0 { mark } else { " " };
            line.spans.insert(0, Span::styled(format!("{mark} "), mark_style));
        }
    }
    let stands_apart = matches!(kind, EntryKind::User | EntryKind::Assistant | EntryKind::Page);
    let has_gap = if is_first {
        stands_apart
    } else {
        segment.after_blank
    };
    if has_gap && !body.is_empty() {
        body.insert(0, Line::default());
    }
    body
}

fn markdown(segment: &ScreenSegment, words: &str, columns: usize, theme: Theme) -> Vec<Line<'static>> {
    match &segment.fence {
        // Continues the code block that began in an earlier segment.
        Some(fence) => markdown::lay_out(&format!("{fence}\n{words}"), columns, theme),
        None => markdown::lay_out(words, columns, theme),
    }
}

/// The marker before the first line, its style, and the style of the text.
fn looks(kind: &EntryKind, theme: Theme) -> (&'static str, Style, Style) {
    match kind {
        EntryKind::User => ("›", theme.strong(), theme.strong()),
        EntryKind::Assistant | EntryKind::Page | EntryKind::Hint => (" ", theme.plain(), theme.plain()),
        EntryKind::Tool(_, state) => {
            let mark = match state {
                ToolState::Running => theme.faint(),
                ToolState::Stopped => theme.warn(),
                ToolState::Done => theme.good(),
                ToolState::Failed | ToolState::Denied => theme.bad(),
            };
            (words::tool_mark(*state), mark, theme.faint())
        }
        EntryKind::Notice => (" ", theme.faint(), theme.faint()),
        EntryKind::Warning => ("!", theme.warn(), theme.warn()),
        EntryKind::Failure => ("✗", theme.bad(), theme.bad()),
    }
}
