//! The backlog, `docs/dev_docs/backlog.md`: ideas that agents had while working on a task.
//!
//! [`add_to_backlog`] only appends. The number of items per answer is limited in `payload`; here each item becomes
//! one harmless line.

use std::collections::BTreeSet;

use gemicro_event::text;

use super::feature::Feature;

/// Maximum length of an item.
const MAX_ITEM_CHARS: usize = 500;

/// The origin of backlog items.
#[derive(Debug, Clone, Copy)]
pub struct BacklogOrigin<'o> {
    /// The task whose agents had the ideas.
    pub feature: &'o Feature,
    /// Date, like `2026-11-16`.
    pub date: &'o str,
    /// Id of the run.
    pub run: &'o str,
    /// Title of a new list.
    pub title: &'o str,
}

/// Appends items to the backlog under a heading for their task, and skips items that are already listed.
///
/// Existing text is kept byte for byte, and the result ends with a newline. A missing or blank backlog gets a title.
pub fn add_to_backlog(text: Option<&str>, items: &[String], origin: BacklogOrigin<'_>) -> String {
    let before = text.unwrap_or_default();
    let mut backlog = before.to_owned();
    if !backlog.is_empty() && !backlog.ends_with('\n') {
        backlog.push('\n');
    }
    if before.trim().is_empty() {
        backlog.push_str(&format!("# {}\n", origin.title));
    }
    let mut known: BTreeSet<String> = before.lines().filter_map(item_of).map(comparison_key).collect();
    let mut added = Vec::new();
    for item in items {
        let item = item_line(item);
        if !item.is_empty() && known.insert(comparison_key(&item)) {
            added.push(item);
        }
    }
    if added.is_empty() {
        return backlog;
    }
    let heading = format!(
        "## {} ({}, run {})",
        origin.feature,
        item_line(origin.date),
        item_line(origin.run)
    );
    let last_heading = before.lines().rev().find(|line| line.starts_with('#'));
    if last_heading != Some(heading.as_str()) {
        backlog.push_str(&format!("\n{heading}\n\n"));
    }
    for item in added {
        backlog.push_str(&format!("- {item}\n"));
    }
    backlog
}

/// Returns the item on a line of the backlog.
fn item_of(line: &str) -> Option<&str> {
    let line = line.trim_start();
    line.strip_prefix("- ").or_else(|| line.strip_prefix("* "))
}

/// Normalises an item, so that two items with the same text compare equal.
fn comparison_key(item: &str) -> String {
    text::one_line(item).trim_end_matches('.').to_lowercase()
}

/// Turns an item into one line without leading Markdown syntax.
fn item_line(item: &str) -> String {
    let blanks = item.replace(|c: char| c.is_control() || text::is_line_end(c), " ");
    let line = text::one_line(&text::plain(&blanks, usize::MAX));
    let line = line.trim_start_matches(|c: char| c.is_whitespace() || "#>-*+=~`|".contains(c));
    // A comment would hide the text after it, and a fence would turn it into code.
    let line = line
        .replace("<!--", "&lt;!--")
        .replace("```", "'''")
        .replace("~~~", "'''");
    let mut cut: String = line.chars().take(MAX_ITEM_CHARS).collect();
    cut.truncate(cut.trim_end().len());
    cut
}

#[cfg(test)]
mod tests;
