//! Turns an agent's ideas into list items for a Markdown file.
//!
//! An item is one line of at most 500 characters that does not start a heading, list, quotation, table, fence or
//! HTML. This module does not know where the list is stored.

use gemicro_event::text;

/// Maximum number of items from one payload.
pub const MAX_ITEMS: usize = 50;

/// Maximum length of an item.
pub const MAX_ITEM_CHARACTERS: usize = 500;

/// Characters that start a Markdown construct.
const CONTROLS: [char; 10] = ['#', '>', '|', '`', '~', '*', '+', '-', '=', '<'];

/// Turns every item into one plain line, drops empty ones, and keeps the first [`MAX_ITEMS`].
#[must_use]
pub fn clean_backlog(items: &[&str]) -> Vec<String> {
    let lines = items
        .iter()
        .map(|item| text::one_line(&item.replace(is_break, " ")));
    lines
        .filter(|line| !line.is_empty())
        .take(MAX_ITEMS)
        .map(|line| shorten_item(&plain_at_start(line)))
        .collect()
}

/// Returns true if an item has control characters, starts with Markdown, or is too long, or if there are too many.
pub(super) fn needs_cleaning(items: &[&str]) -> bool {
    items.len() > MAX_ITEMS
        || items.iter().any(|item| {
            item.chars().any(is_break)
                || control_at(item).is_some()
                || item.chars().count() > MAX_ITEM_CHARACTERS
        })
}

/// U+2028 and U+2029 are line ends for many programs, though not control characters.
fn is_break(character: char) -> bool {
    character.is_control() || matches!(character, '\u{2028}' | '\u{2029}')
}

/// Inserts a backslash before leading Markdown syntax.
fn plain_at_start(mut line: String) -> String {
    if let Some(at) = control_at(&line) {
        line.insert(at, '\\');
    }
    line
}

fn shorten_item(line: &str) -> String {
    match line.chars().count() <= MAX_ITEM_CHARACTERS {
        true => line.to_owned(),
        false => text::shortened(line, MAX_ITEM_CHARACTERS - 1),
    }
}

/// Returns the position of the Markdown syntax that an item starts with.
fn control_at(item: &str) -> Option<usize> {
    let inner = item.trim_start_matches(' ');
    let n_blanks = item.len() - inner.len();
    let begins = inner.starts_with(CONTROLS)
        || inner.starts_with("___")
        || inner.starts_with("![")
        || is_reference_or_box(inner)
        // Four spaces start a code block.
        || (n_blanks >= 4 && !inner.is_empty());
    if begins {
        return Some(n_blanks);
    }
    // In an ordered list, the character after the number is the syntax.
    let number = inner.trim_start_matches(|c: char| c.is_ascii_digit());
    let n_digits = inner.len() - number.len();
    let is_numbered = (1..=9).contains(&n_digits)
        && number.starts_with(['.', ')'])
        && (number.len() == 1 || number[1..].starts_with(' '));
    is_numbered.then_some(n_blanks + n_digits)
}

/// Returns true for a link, a link target or a checkbox.
fn is_reference_or_box(inner: &str) -> bool {
    let Some((label, after)) = inner.strip_prefix('[').and_then(|rest| rest.split_once(']')) else {
        return false;
    };
    matches!(label, " " | "x" | "X") || after.starts_with([':', '('])
}
