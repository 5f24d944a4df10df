//! The backlog, `docs/dev_docs/backlog.md`: ideas that agents had on the way.
//!
//! [`add_to_backlog`] appends and changes nothing that is there. How many items one answer may bring is bounded where
//! answers are read; here each becomes one harmless line.

use std::collections::BTreeSet;

use gemicro_event::text;

use super::feature::Feature;

/// The title of a new backlog.
const TITLE: &str = "# Backlog\n";
/// Characters of an item.
const MAX_ITEM_CHARS: usize = 500;

/// Where items come from.
#[derive(Debug, Clone, Copy)]
pub struct BacklogOrigin<'o> {
    /// The task whose agents had the ideas.
    pub feature: &'o Feature,
    /// The day, as `2026-11-16`.
    pub date: &'o str,
    /// Id of the run that this belongs to.
    pub run: &'o str,
}

/// Appends items to the text of a backlog, under a heading of their task; an item that is there already is left out.
///
/// What was there is kept byte by byte, and the text ends with a line break. A backlog that is missing or blank gets a title.
pub fn add_to_backlog(text: Option<&str>, items: &[String], origin: BacklogOrigin<'_>) -> String {
    let before = text.unwrap_or_default();
    let mut backlog = before.to_owned();
    if !backlog.is_empty() && !backlog.ends_with('\n') {
        backlog.push('\n');
    }
    if before.trim().is_empty() {
        backlog.push_str(TITLE);
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

/// The item that a line of the backlog holds.
fn item_of(line: &str) -> Option<&str> {
    let line = line.trim_start();
    line.strip_prefix("- ").or_else(|| line.strip_prefix("* "))
}

/// What two items have in common that say the same.
fn comparison_key(item: &str) -> String {
    text::one_line(item).trim_end_matches('.').to_lowercase()
}

/// An item as one line without the marks with which Markdown starts something else.
fn item_line(item: &str) -> String {
    let blanks = item.replace(|c: char| c.is_control() || text::is_line_end(c), " ");
    let line = text::one_line(&text::plain(&blanks, usize::MAX));
    let line = line.trim_start_matches(|c: char| c.is_whitespace() || "#>-*+=~`|".contains(c));
    // A comment would hide all that follows it, and a fence would make it code.
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
