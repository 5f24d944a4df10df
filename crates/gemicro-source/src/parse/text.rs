//! Plain text: paragraphs between blank lines, wrapped lines kept together.
//!
//! A line counts as a heading only if the layout suggests it: it is underlined, stands alone at the start of the text, or is in
//! capitals. Files of records (tables, logs) become one block per line.

use std::ops::Range;

use gemicro_core::corpus::BlockKind;

use super::blocks::{BlockList, lines_of};
use super::{ParsedText, date};

/// Maximum length of a heading, in characters.
const MAX_HEADING_CHARS: usize = 100;

pub(super) fn parse(text: String) -> ParsedText {
    let mut blocks = BlockList::default();
    let mut title = None;
    let paragraphs = paragraphs_of(&text);
    let n_paragraphs = paragraphs.len();
    for (idx, lines) in paragraphs.into_iter().enumerate() {
        let has_body = n_paragraphs > 1;
        let n_heading = heading_lines(&text, &lines, idx == 0 && has_body);
        let (heading, body) = lines.split_at(n_heading);
        if let Some(first) = heading.first() {
            title.get_or_insert_with(|| text[first.clone()].to_owned());
            blocks.push(&text, BlockKind::Heading, first.clone());
        }
        push_body(&text, body, &mut blocks);
    }
    ParsedText {
        blocks: blocks.finish(),
        title,
        date: None,
        text,
    }
}

/// Turns each line that is not blank into a row.
pub(super) fn parse_lines(text: String) -> ParsedText {
    let mut blocks = BlockList::default();
    for line in lines_of(&text, 0..text.len()) {
        blocks.push(&text, BlockKind::TableRow, line);
    }
    ParsedText {
        blocks: blocks.finish(),
        title: None,
        date: None,
        text,
    }
}

fn paragraphs_of(text: &str) -> Vec<Vec<Range<usize>>> {
    let mut paragraphs = Vec::new();
    let mut lines: Vec<Range<usize>> = Vec::new();
    for line in lines_of(text, 0..text.len()) {
        if !text[line.clone()].trim().is_empty() {
            lines.push(line);
        } else if !lines.is_empty() {
            paragraphs.push(std::mem::take(&mut lines));
        }
    }
    if !lines.is_empty() {
        paragraphs.push(lines);
    }
    paragraphs
}

/// Number of lines at the start of a paragraph that are a heading (two if the second is an underline).
fn heading_lines(text: &str, lines: &[Range<usize>], is_first: bool) -> usize {
    let Some(first) = lines.first().map(|line| text[line.clone()].trim()) else {
        return 0;
    };
    if first.chars().count() > MAX_HEADING_CHARS {
        return 0;
    }
    if lines
        .get(1)
        .is_some_and(|line| is_underline(text[line.clone()].trim()))
    {
        return 2;
    }
    let ends_like_sentence = first.ends_with(['.', '!', '?', '。', '！', '？', ':', ',', ';', '،', '؟']);
    let rest_is_date = lines.len() == 2 && date::in_line(&text[lines[1].clone()]).is_some();
    let alone = lines.len() == 1;
    if is_first && !ends_like_sentence && (alone || rest_is_date) && date::in_line(first).is_none() {
        return 1;
    }
    usize::from(alone && !ends_like_sentence && is_capitals(first))
}

fn is_underline(line: &str) -> bool {
    let mut chars = line.chars();
    let Some(mark) = chars.next() else { return false };
    "=-~^*#".contains(mark) && line.len() >= 3 && chars.all(|c| c == mark)
}

fn is_capitals(line: &str) -> bool {
    line.chars().filter(|c| c.is_uppercase()).count() >= 3 && !line.chars().any(char::is_lowercase)
}

/// Adds a paragraph, or the items of a list.
fn push_body(text: &str, lines: &[Range<usize>], blocks: &mut BlockList) {
    let Some(first) = lines.first() else { return };
    let mut kind = if is_item(&text[first.clone()]) {
        BlockKind::ListItem
    } else {
        BlockKind::Paragraph
    };
    let mut start = first.start;
    let mut end = first.end;
    // Several lines with list markers are a list, whatever comes before them.
    let is_list = lines
        .iter()
        .filter(|line| is_item(&text[(*line).clone()]))
        .count()
        > 1;
    for pair in lines.windows(2) {
        let (previous, line) = (&text[pair[0].clone()], &text[pair[1].clone()]);
        // In a normal paragraph, a dash or number at the start of a line is there only because the line was wrapped.
        let in_list = is_list || kind == BlockKind::ListItem || previous.trim_end().ends_with(':');
        if in_list && is_item(line) {
            blocks.push(text, kind, start..end);
            kind = BlockKind::ListItem;
            start = pair[1].start;
        }
        end = pair[1].end;
    }
    blocks.push(text, kind, start..end);
}

fn is_item(line: &str) -> bool {
    let line = line.trim_start();
    if ["- ", "* ", "+ ", "• ", "– "]
        .iter()
        .any(|mark| line.starts_with(mark))
    {
        return true;
    }
    let n_digits = line.bytes().take_while(u8::is_ascii_digit).count();
    (1..=3).contains(&n_digits) && matches!(line.get(n_digits..n_digits + 2), Some(". " | ") "))
}
