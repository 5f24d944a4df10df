//! Splits a turn into statements, by its form only.
//!
//! Prose becomes sentences. Code blocks, tool output, quotations, tables, logs and indented listings are pasted
//! material: one statement per line. No statement contains a line end, except a sentence that was wrapped.

use gemicro_event::text::is_line_end;

use crate::corpus::BlockKind;
use crate::history::{Trust, Turn, TurnKind};
use crate::offline::sentence_ranges;

/// A part of a turn's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::history) struct Statement<'a> {
    pub(in crate::history) text: &'a str,
    /// Where it starts in the text of the turn.
    pub(in crate::history) start: usize,
    pub(in crate::history) is_prose: bool,
}

/// Maximum length of a statement in bytes; longer ones, such as log lines or text without full stops, are cut.
const MAX_BYTES: usize = 600;

/// The statements of a turn, in order.
pub(in crate::history) fn statements(turn: &Turn) -> Vec<Statement<'_>> {
    let text = turn.text.as_str();
    let mut found = Vec::new();
    let is_data = turn.trust == Trust::Data || turn.kind == TurnKind::ToolOutput;
    let mut fence = None;
    let mut at = 0;
    while at < text.len() {
        let start = at;
        let may_join = fence.is_none() && !is_data;
        at += paragraph_line_end(&text[start..], may_join);
        let line = &text[start..at];
        if let Some(mark) = fence_mark(line) {
            fence = match fence {
                None => Some(mark),
                Some(open) if open == mark => None,
                Some(open) => Some(open),
            };
            continue;
        }
        if is_data || fence.is_some() || is_pasted(line) {
            push_parts(text, start, line, false, &mut found);
            continue;
        }
        let body = without_mark(line);
        let offset = start + (line.len() - body.len());
        for range in sentence_ranges(body, BlockKind::Paragraph) {
            push_parts(text, offset + range.start, &body[range], true, &mut found);
        }
    }
    found
}

/// Adds a trimmed statement, in parts if it is too long.
fn push_parts<'a>(text: &'a str, start: usize, part: &str, is_prose: bool, found: &mut Vec<Statement<'a>>) {
    let mut at = start + (part.len() - part.trim_start().len());
    let end = start + part.trim_end().len();
    while at < end {
        let mut stop = text.floor_char_boundary(end.min(at + MAX_BYTES));
        if stop < end
            && let Some(blank) = text[at..stop]
                .rfind(char::is_whitespace)
                .filter(|blank| *blank > 0)
        {
            stop = at + blank;
        }
        let piece = &text[at..stop];
        if piece.contains(char::is_alphanumeric) {
            found.push(Statement {
                text: piece,
                start: at,
                is_prose,
            });
        }
        at = stop + (text[stop..end].len() - text[stop..end].trim_start().len());
    }
}

fn fence_mark(line: &str) -> Option<char> {
    let line = line.trim_start();
    ['`', '~']
        .into_iter()
        .find(|mark| line.chars().take_while(|letter| letter == mark).count() >= 3)
}

/// Whether a line outside a fence is not the author's own sentence: a quotation, indented, a table row, a log line,
/// code.
fn is_pasted(line: &str) -> bool {
    let text = line.trim();
    let body = line.trim_start();
    let is_listed = !body.starts_with('#') && without_mark(body).len() < body.len();
    let is_indented = (line.starts_with("    ") || line.starts_with('\t')) && !is_listed;
    is_indented
        || text.starts_with("> ")
        || (text.starts_with('|') && text.ends_with('|'))
        || starts_with_time(text)
        || has_few_letters(text)
}

/// `2031-10-20…` or `20:37:26…`, also in brackets.
fn starts_with_time(text: &str) -> bool {
    let form: String = text
        .trim_start_matches(['[', '('])
        .chars()
        .take(8)
        .map(|letter| if letter.is_ascii_digit() { '0' } else { letter })
        .collect();
    form.starts_with("0000-00-") || form.starts_with("0000/00/") || form.starts_with("00:00:00")
}

/// Whether a longer line is data: less than three fifths of its characters are letters or spaces.
fn has_few_letters(text: &str) -> bool {
    const SHORT: usize = 24;
    let n_all = text.chars().count();
    let n_letters = text
        .chars()
        .filter(|letter| letter.is_alphabetic() || *letter == ' ')
        .count();
    n_all > SHORT && n_letters * 5 < n_all * 3
}

/// A line without its heading or list marker.
pub(in crate::history) fn without_mark(line: &str) -> &str {
    let mut rest = line.trim_start_matches(['#', ' ', '\t']);
    let n_digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    if (1..=3).contains(&n_digits)
        && let Some(after) = rest[n_digits..]
            .strip_prefix(['.', ')'])
            .filter(|after| after.starts_with(' '))
    {
        rest = after.trim_start();
    }
    for mark in ["- ", "* ", "+ ", "• ", "– "] {
        rest = rest.strip_prefix(mark).unwrap_or(rest);
    }
    rest.trim_start()
}

/// Minimum length of a wrapped line; the sentence continues if the next line starts with a lower-case letter.
const MARGIN: usize = 60;

/// The end of the first line, including its line break; a wrapped sentence counts as one line.
fn paragraph_line_end(text: &str, may_join: bool) -> usize {
    let mut end = line_end(text);
    let mut line_start = 0;
    while may_join && end < text.len() && text[..end].ends_with('\n') {
        let line = text[line_start..end].trim_end();
        let next = text[end..].chars().next();
        let goes_on = line.len() >= MARGIN
            && !line.ends_with(['.', ':', ';', '!', '?', '。', '`'])
            && next.is_some_and(char::is_lowercase);
        if !goes_on {
            break;
        }
        line_start = end;
        end += line_end(&text[end..]);
    }
    end
}

fn line_end(text: &str) -> usize {
    text.find(is_line_end).map_or(text.len(), |at| {
        at + text[at..].chars().next().map_or(0, char::len_utf8)
    })
}
