//! Makes text safe to show and fits it into a width.
//!
//! All text from a source, a journal or a model goes through [`neutral`] before a terminal sees it: no byte of it can
//! move the cursor, change a title, reverse the reading direction or hide part of the text.

use std::borrow::Cow;

use gemicro_event::StreamId;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::unseen::{is_active, is_unseen};

/// The text with every control character made visible and without invisible characters; line ends and tabs stay.
pub(crate) fn neutral(text: &str) -> Cow<'_, str> {
    let is_odd = |c: char| (is_active(c) && c != '\n' && c != '\t') || is_unseen(c);
    if text.chars().any(is_odd) {
        let seen = text.chars().filter(|&c| !is_unseen(c));
        Cow::Owned(
            seen.map(|c| if c == '\n' || c == '\t' { c } else { picture(c) })
                .collect(),
        )
    } else {
        Cow::Borrowed(text)
    }
}

/// Replaces each invisible character by a visible one, one for one: for text that is being edited.
pub(crate) fn visible_text(text: &str) -> String {
    let shown = |c: char| match c {
        '\n' | '\t' => c,
        c if is_unseen(c) => '\u{fffd}',
        c => picture(c),
    };
    text.chars().map(shown).collect()
}

/// The text on one line, with white space collapsed and control characters made visible.
pub(crate) fn one_line(text: &str) -> String {
    neutral(&gemicro_event::text::one_line(text)).into_owned()
}

/// A value quoted as one word for a shell.
pub(crate) fn shell_quoted(value: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-:=,+@%".contains(c);
    match !value.is_empty() && value.chars().all(is_plain) {
        true => value.to_owned(),
        false => format!("'{}'", value.replace('\'', r"'\''")),
    }
}

/// Number of characters shown of an id; unique in practice, and enough for a command.
const SHORT_ID: usize = 8;

/// The prefix of ids of batches with a key.
const KEYED: &str = "batch-";

/// The shown beginning of an id.
pub(crate) fn short_id(id: &StreamId) -> String {
    let n_shown = match id.as_str().starts_with(KEYED) {
        true => KEYED.len() + SHORT_ID,
        false => SHORT_ID,
    };
    id.as_str().chars().take(n_shown).collect()
}

/// Width of a text in columns.
pub(crate) fn width(text: &str) -> usize {
    text.width()
}

/// The text on one line of at most `columns`, with `…` if it was cut.
pub(crate) fn cut(text: &str, columns: usize) -> String {
    let line = one_line(text);
    if line.width() <= columns {
        return line;
    }
    let mut kept = String::new();
    let mut used = 0;
    for c in line.chars() {
        let next = used + c.width().unwrap_or(0);
        if next + 1 > columns {
            break;
        }
        kept.push(c);
        used = next;
    }
    kept.truncate(kept.trim_end().len());
    kept.push('…');
    kept
}

/// The text padded with spaces to `columns`.
pub(crate) fn pad(text: &str, columns: usize) -> String {
    let missing = columns.saturating_sub(text.width());
    format!("{text}{}", " ".repeat(missing))
}

/// Wraps Markdown at spaces; list items get a hanging indent, fenced code and tables are unchanged.
pub(crate) fn wrap_markdown(text: &str, columns: usize) -> String {
    let mut in_fence = false;
    let mut lines = Vec::new();
    for line in neutral(text).lines() {
        if line.trim_start().starts_with("```") {
            in_fence = !in_fence;
        }
        if in_fence
            || line.starts_with('|')
            || line.trim_start().starts_with("```")
            || line.width() <= columns
        {
            lines.push(line.to_owned());
        } else {
            lines.extend(wrap_line(line, columns));
        }
    }
    lines.join("\n")
}

fn wrap_line(line: &str, columns: usize) -> Vec<String> {
    let indent = " ".repeat(hanging_indent(line).min(columns / 2));
    let mut lines = Vec::new();
    let blanks = line.len() - line.trim_start().len();
    let mut current = line[..blanks].to_owned();
    let mut is_empty = true;
    for word in units(line) {
        if !is_empty && current.width() + 1 + word.width() > columns {
            lines.push(std::mem::replace(&mut current, indent.clone()));
            is_empty = true;
        }
        if !is_empty {
            current.push(' ');
        }
        let mut start = current.len();
        current.push_str(&word);
        is_empty = false;
        while let Some(at) = path_break(&current, start, columns) {
            let rest = current.split_off(at);
            lines.push(std::mem::replace(&mut current, indent.clone() + &rest));
            start = indent.len();
        }
    }
    lines.push(current);
    lines
}

/// Where the path that a line ends with continues on the next line, if it is too wide: after a `/`. Commands and web
/// addresses stay whole, so that they can be copied and opened.
fn path_break(line: &str, start: usize, columns: usize) -> Option<usize> {
    let path = &line[start..];
    if line.width() <= columns || path.contains('`') || path.contains("://") {
        return None;
    }
    let ends = path.match_indices('/').map(|(at, _)| start + at + 1);
    let fitting = ends.take_while(|end| line[..*end].width() <= columns);
    fitting.filter(|end| *end > start + 1 && *end < line.len()).last()
}

/// The parts that a line may be broken between: words, and whole commands in backticks, so that they can be copied.
fn units(line: &str) -> Vec<String> {
    let mut units: Vec<String> = Vec::new();
    let mut is_open = false;
    let mut words = line.split_whitespace();
    while let Some(word) = words.next() {
        let is_within = is_open;
        if word.matches('`').count() % 2 == 1 {
            // A backtick that is never closed does not count.
            is_open = !is_open && words.clone().any(|later| later.contains('`'));
        }
        match units.last_mut() {
            Some(last) if is_within => {
                last.push(' ');
                last.push_str(word);
            }
            Some(_) | None => units.push(word.to_owned()),
        }
    }
    units
}

/// The position where the text of `- item` or `12. item` begins.
fn hanging_indent(line: &str) -> usize {
    let blanks = line.len() - line.trim_start().len();
    let rest = &line[blanks..];
    let n_digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let marker = if rest.starts_with("- ") || rest.starts_with("* ") || rest.starts_with("> ") {
        2
    } else if n_digits > 0 && rest[n_digits..].starts_with(". ") {
        n_digits + 2
    } else {
        0
    };
    blanks + marker
}

fn picture(c: char) -> char {
    match c {
        '\0'..='\x1f' => char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{fffd}'),
        '\x7f' => '\u{2421}',
        c if is_active(c) => '\u{fffd}',
        c => c,
    }
}
