//! Checks the verification report: every checklist item must be ticked.
//!
//! An item is a line `- [x] text`, in any order and with any bullet. Texts are compared without emphasis and with
//! white space collapsed. Code fences and comments do not count; an unticked box is always a fault.

use super::WorkTrees;
use crate::evidence::markdown::{MarkdownLine, lines, plain_text};

/// Returns what is wrong with the report.
pub(super) fn faults(checklist: &[String], trees: &WorkTrees<'_>, path: &str) -> Vec<String> {
    let Some(content) = trees.tip.read(path) else {
        return vec![format!(
            "the verification report `{path}` does not exist: write it with every item of the checklist as `- [x] item`"
        )];
    };
    if !trees.is_changed(path) {
        return vec![format!(
            "the verification report `{path}` is from earlier work: rewrite it"
        )];
    }
    let Ok(text) = String::from_utf8(content) else {
        return vec![format!(
            "the verification report `{path}` is not UTF-8 text: rewrite it"
        )];
    };
    let boxes = boxes(&text);
    let mut faults: Vec<String> = boxes
        .iter()
        .filter(|item| !item.is_ticked)
        .map(|item| {
            format!(
                "`{}` is not ticked in `{path}`: do it, then tick it",
                shown_item(&item.first_line)
            )
        })
        .collect();
    for wanted in checklist {
        let wanted_text = plain_text(wanted);
        let is_there = boxes
            .iter()
            .any(|item| item.first_line == wanted_text || item.whole == wanted_text);
        if !is_there {
            faults.push(format!(
                "the checklist item `{}` is missing from `{path}`: add it, with the same wording, as `- [x] …`",
                shown_item(wanted)
            ));
        }
    }
    faults
}

/// One box with its text.
struct CheckboxItem {
    is_ticked: bool,
    first_line: String,
    whole: String,
}

fn boxes(text: &str) -> Vec<CheckboxItem> {
    let mut items: Vec<CheckboxItem> = Vec::new();
    let mut goes_on = false;
    for line in lines(text) {
        let MarkdownLine::Text(line) = line else {
            goes_on = false;
            continue;
        };
        if let Some((is_ticked, text)) = box_of(line) {
            let first_line = plain_text(text);
            items.push(CheckboxItem {
                is_ticked,
                whole: first_line.clone(),
                first_line,
            });
            goes_on = true;
        } else if goes_on
            && line.starts_with([' ', '\t'])
            && bullet(line).is_none()
            && !line.trim().is_empty()
        {
            if let Some(item) = items.last_mut() {
                item.whole = plain_text(&format!("{} {line}", item.whole));
            }
        } else {
            goes_on = false;
        }
    }
    items
}

/// Reads `- [x] text`: whether it is ticked, and the text.
fn box_of(line: &str) -> Option<(bool, &str)> {
    let rest = bullet(line)?;
    let (mark, text) = rest.strip_prefix('[')?.split_once(']')?;
    let is_ticked = match mark {
        "x" | "X" => true,
        " " | "" => false,
        _ => return None,
    };
    text.starts_with([' ', '\t']).then_some((is_ticked, text))
}

/// Returns the text after the bullet of a list item.
fn bullet(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let rest = match line.strip_prefix(['-', '*', '+']) {
        Some(rest) => rest,
        None => line
            .trim_start_matches(|c: char| c.is_ascii_digit())
            .strip_prefix(['.', ')'])?,
    };
    rest.starts_with([' ', '\t']).then(|| rest.trim_start())
}

fn shown_item(text: &str) -> String {
    text.chars().take(120).collect()
}
