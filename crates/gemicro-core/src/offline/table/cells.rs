//! Cells of rows: where they are, what they name, and the numbers in them.

use std::ops::Range;

use crate::offline::text::{likeness, words};

/// Byte ranges of the cells of a row, trimmed. Tabs, Markdown bars and the commas or semicolons of CSV separate.
pub(crate) fn cells(doc: &str, row: &str) -> Vec<Range<usize>> {
    let separator = if row.contains('\t') {
        '\t'
    } else if doc.ends_with(".csv") {
        if row.matches(';').count() > row.matches(',').count() {
            ';'
        } else {
            ','
        }
    } else {
        '|'
    };
    let trimmed = row.trim_matches(|c: char| c == '\n' || c == '\r' || c == ' ');
    let lead = row.find(trimmed).unwrap_or(0);
    let (start, end) = if separator == '|' {
        let inner = trimmed.strip_prefix('|').unwrap_or(trimmed);
        let start = lead + trimmed.len() - inner.len();
        (start, start + inner.strip_suffix('|').unwrap_or(inner).len())
    } else {
        (lead, lead + trimmed.len())
    };
    let mut ranges = Vec::new();
    let mut from = start;
    let mut is_quoted = false;
    for (at, c) in row[start..end].char_indices().chain([(end - start, separator)]) {
        let is_last = at == end - start;
        if c == '"' && separator != '|' {
            is_quoted = !is_quoted;
        }
        if is_last || c == separator && !is_quoted {
            let cell = &row[from..start + at];
            let marks = |c: char| c.is_whitespace() || c == '`' || c == '*' || c == '"';
            let lead = cell.len() - cell.trim_start_matches(marks).len();
            ranges.push(from + lead..from + lead + cell.trim_matches(marks).len());
            from = (start + at + c.len_utf8()).min(end);
        }
    }
    ranges
}

/// How well a word names a cell: the whole cell, a word of a key, or a word of some other text.
pub(super) fn cell_match(word: &str, cell: &str, is_key: bool) -> f32 {
    let lower = cell.to_lowercase();
    if likeness(word, &lower) >= 0.95 {
        return 1.0;
    }
    let found = words(&lower)
        .iter()
        .any(|part| likeness(word, &part.lower) >= 0.95);
    match (found, is_key) {
        (true, true) => 0.95,
        (true, false) if lower.split_whitespace().count() <= 4 => 0.9,
        (true, false) => 0.5,
        (false, _) => 0.0,
    }
}

/// The number in a cell: digits with a sign, thousands, or a unit around them.
pub(super) fn number(cell: &str) -> Option<f64> {
    let bare = cell
        .trim()
        .trim_start_matches(['$', '€', '£', '~', '<', '>'])
        .trim_start();
    let n_number = bare
        .char_indices()
        .take_while(|(at, c)| c.is_ascii_digit() || matches!(c, '.' | ',' | '\'') || *at == 0 && *c == '-')
        .count();
    let (digits, unit) = bare.split_at(n_number);
    let unit = unit.trim();
    if !digits.contains(|c: char| c.is_ascii_digit())
        || unit.chars().any(|c| c.is_ascii_digit() || c == '-' || c == ':')
        || unit.split_whitespace().count() > 2
    {
        return None;
    }
    let groups: Vec<&str> = digits.split(',').collect();
    let is_thousands = groups.len() > 1 && groups[1..].iter().all(|group| group.len() == 3);
    let plain = if is_thousands || groups.len() == 1 {
        digits.replace([',', '\''], "")
    } else {
        digits.replace(',', ".")
    };
    plain.trim_end_matches('.').parse().ok()
}

/// A number with at most two places.
pub(super) fn format_number(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A cell that is nothing but a number, with as few places as it needs; any other cell as it is.
pub(super) fn plain(cell: &str) -> String {
    let is_number = cell.chars().all(|c| c.is_ascii_digit() || c == '.');
    match number(cell).filter(|_| is_number) {
        Some(value) => format_number(value),
        None => cell.to_owned(),
    }
}

/// How many places a number has behind its point.
pub(super) fn places(cell: &str) -> usize {
    cell.split_once('.').map_or(0, |(_, rest)| {
        rest.chars().take_while(char::is_ascii_digit).count()
    })
}
