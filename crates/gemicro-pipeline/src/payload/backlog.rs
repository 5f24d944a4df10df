//! Makes an agent's ideas fit for a list in a Markdown file.
//!
//! An item is one line of at most 500 characters that begins nothing but itself: no heading, list, quotation, table,
//! fence or HTML. Where the list is kept is not known here.

use gemicro_event::text;

/// No more items are taken from one payload.
pub const MAX_ITEMS: usize = 50;

/// No item is longer.
pub const MAX_ITEM_CHARACTERS: usize = 500;

/// Characters that begin something in Markdown, whatever follows them.
const CONTROLS: [char; 10] = ['#', '>', '|', '`', '~', '*', '+', '-', '=', '<'];

/// Makes every item one plain line, leaves out empty ones, and keeps the first [`MAX_ITEMS`].
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

/// Whether an item has control characters, begins with Markdown, is too long, or one too many.
pub(super) fn needs_cleaning(items: &[&str]) -> bool {
    items.len() > MAX_ITEMS
        || items.iter().any(|item| {
            item.chars().any(is_break)
                || control_at(item).is_some()
                || item.chars().count() > MAX_ITEM_CHARACTERS
        })
}

/// The two separators are line ends for many programs, though not control characters.
fn is_break(character: char) -> bool {
    character.is_control() || matches!(character, '\u{2028}' | '\u{2029}')
}

/// Puts a backslash where Markdown would see a control.
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

/// Where the control stands that an item begins with.
fn control_at(item: &str) -> Option<usize> {
    let inner = item.trim_start_matches(' ');
    let n_blanks = item.len() - inner.len();
    let begins = inner.starts_with(CONTROLS)
        || inner.starts_with("___")
        || inner.starts_with("![")
        || is_reference_or_box(inner)
        // Four blanks begin code.
        || (n_blanks >= 4 && !inner.is_empty());
    if begins {
        return Some(n_blanks);
    }
    // The number of an ordered list: what follows it is the control.
    let number = inner.trim_start_matches(|c: char| c.is_ascii_digit());
    let n_digits = inner.len() - number.len();
    let is_numbered = (1..=9).contains(&n_digits)
        && number.starts_with(['.', ')'])
        && (number.len() == 1 || number[1..].starts_with(' '));
    is_numbered.then_some(n_blanks + n_digits)
}

/// A link, the target of one, or a box to tick.
fn is_reference_or_box(inner: &str) -> bool {
    let Some((label, after)) = inner.strip_prefix('[').and_then(|rest| rest.split_once(']')) else {
        return false;
    };
    matches!(label, " " | "x" | "X") || after.starts_with([':', '('])
}
