//! Small readings of one line of output.

use super::Count;

/// The output without colours, every line ending as `\n`.
pub(in super::super) fn plain(output: &str) -> String {
    let mut text = String::with_capacity(output.len());
    let mut chars = output.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' if chars.peek() == Some(&'[') => {
                chars.next();
                // Numbers and signs, then one letter; a sequence that is cut off ends before the next line.
                while chars.next_if(|c| ('\u{20}'..='\u{3f}').contains(c)).is_some() {}
                chars.next_if(|c| ('\u{40}'..='\u{7e}').contains(c));
            }
            '\r' if chars.peek() != Some(&'\n') => text.push('\n'),
            '\r' => {}
            c => text.push(c),
        }
    }
    text
}

/// The line without the mark of a log level, as maven writes it.
pub(super) fn unmarked(line: &str) -> &str {
    let line = line.trim();
    ["[INFO]", "[WARNING]", "[ERROR]"]
        .iter()
        .find_map(|mark| line.strip_prefix(mark))
        .map_or(line, str::trim)
}

/// The number with which a text starts, and the rest.
pub(super) fn number(text: &str) -> Option<(u64, &str)> {
    let text = text.trim_start();
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let number = text[..end].parse().ok()?;
    Some((number, &text[end..]))
}

/// The number that follows a label.
pub(super) fn after(line: &str, label: &str) -> Option<u64> {
    let (_, rest) = line.split_once(label)?;
    number(rest).map(|(number, _)| number)
}

/// Parts like `3 passed` of a list, as number and word.
pub(super) fn parts(list: &str, separator: char) -> Option<Vec<(u64, String)>> {
    list.split(separator)
        .map(|part| {
            let (number, word) = number(part)?;
            let word = word.trim().to_ascii_lowercase();
            (!word.is_empty()).then_some((number, word))
        })
        .collect()
}

/// The sum of the parts with one of these words; nothing when a part has a word of no list. What failed may be a part of
/// what ran, or be told beside it.
pub(super) fn tally(
    parts: &[(u64, String)],
    run: &[&str],
    failed: &[&str],
    skipped: &[&str],
    rest: &[&str],
) -> Option<Count> {
    let mut count = Count::default();
    for (number, word) in parts {
        let word = word.as_str();
        let is_failed = failed.contains(&word);
        if is_failed {
            count.n_failed = count.n_failed.saturating_add(*number);
        }
        if run.contains(&word) {
            count.n_run = count.n_run.saturating_add(*number);
        } else if skipped.contains(&word) {
            count.n_skipped = count.n_skipped.saturating_add(*number);
        } else if !is_failed && !rest.contains(&word) {
            return None;
        }
    }
    Some(count)
}

/// A count of tests of which some were skipped.
pub(super) fn of_total(total: u64, n_skipped: u64) -> Count {
    Count {
        n_run: total.saturating_sub(n_skipped),
        n_failed: 0,
        n_skipped,
    }
}
