//! Reads the plan of a task: its required sections and its machine-readable block.
//!
//! [`read_plan`] returns a [`PlanBlock`], or all faults as messages to the author. A plan is Markdown with the
//! required [sections](SECTIONS) and exactly one fenced block:
//!
//! ````markdown
//! ```json gemicro-plan
//! {"deliverables": ["src/theme.rs", "-src/old.rs"], "docs": ["README.md"], "tests": ["tests/theme.rs::toggles"],
//!  "checklist": ["The toggle is on the settings page"], "version": true, "changelog": true}
//! ```
//! ````
//!
//! A path that starts with `-` is a file to delete. `work` verifies that the work follows the plan.

mod section;

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::markdown::{MarkdownLine, lines, plain_text};
use super::planned_path;
pub use section::{PlanSection, SECTIONS};

/// The info string of the block.
pub const PLAN_INFO: &str = "json gemicro-plan";

/// The promises of a plan, in a form that can be verified.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanBlock {
    /// Files to create or change, relative to the repository root; with a leading `-`, files to delete.
    pub deliverables: Vec<String>,
    /// Documentation to create or change, in the same format as the deliverables.
    pub docs: Vec<String>,
    /// The file or the name of each test, or both as `file::name`.
    pub tests: Vec<String>,
    /// Items that must be done before the work is complete.
    pub checklist: Vec<String>,
    /// Whether the work changes VERSION. An existing file must change in any case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<bool>,
    /// Whether the work changes CHANGELOG. An existing file must change in any case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changelog: Option<bool>,
}

/// Maximum size of a plan.
const MAX_PLAN_BYTES: usize = 1024 * 1024;
/// Maximum size of the block.
const MAX_BLOCK_BYTES: usize = 64 * 1024;
/// Maximum number of entries in one list of the block.
const MAX_ENTRIES: usize = 200;
/// Maximum length of a test name or checklist item.
const MAX_TEXT_CHARS: usize = 500;

/// Reads a plan.
///
/// # Errors
/// All faults, each with what to change.
pub fn read_plan(markdown: &str) -> Result<PlanBlock, Vec<String>> {
    if markdown.len() > MAX_PLAN_BYTES {
        return Err(vec![format!(
            "the plan has {} bytes, at most {MAX_PLAN_BYTES} are read: shorten it",
            markdown.len()
        )]);
    }
    let lines = lines(markdown);
    let mut faults = section::faults(&lines);
    let block = match block_text(&lines) {
        Ok(text) => read_block(&text, &mut faults),
        Err(fault) => {
            faults.push(fault);
            None
        }
    };
    match block {
        Some(block) if faults.is_empty() => Ok(block),
        Some(_) | None => Err(faults),
    }
}

/// Returns the content of the single block.
fn block_text(lines: &[MarkdownLine<'_>]) -> Result<String, String> {
    let mut blocks: Vec<String> = Vec::new();
    let mut is_inside = false;
    let mut is_open = false;
    let mut near_miss = None;
    for line in lines {
        match line {
            MarkdownLine::Opening(info) => {
                is_open = true;
                is_inside = info.split_whitespace().eq(PLAN_INFO.split_whitespace());
                if is_inside {
                    blocks.push(String::new());
                } else if info.to_ascii_lowercase().contains("gemicro-plan") {
                    near_miss = Some(*info);
                }
            }
            MarkdownLine::Code(text) if is_inside => {
                if let Some(block) = blocks.last_mut() {
                    block.push_str(text);
                    block.push('\n');
                }
            }
            MarkdownLine::Closing => {
                is_open = false;
                is_inside = false;
            }
            MarkdownLine::Code(_) | MarkdownLine::Text(_) | MarkdownLine::Hidden => {}
        }
    }
    if is_open && is_inside {
        return Err(format!(
            "the block ```{PLAN_INFO} is not closed: end it with a line ```"
        ));
    }
    match blocks.len() {
        1 => Ok(blocks.remove(0)),
        0 => Err(match near_miss {
            Some(info) => {
                format!("the plan has a block ```{info}: its first line must be exactly ```{PLAN_INFO}")
            }
            None => format!(
                "the plan has no block ```{PLAN_INFO}: add one with deliverables, docs, tests and checklist"
            ),
        }),
        n_blocks => Err(format!(
            "the plan has {n_blocks} blocks ```{PLAN_INFO}: leave exactly one"
        )),
    }
}

/// Parses the block. Faults in its content are added to `faults`.
fn read_block(text: &str, faults: &mut Vec<String>) -> Option<PlanBlock> {
    if text.len() > MAX_BLOCK_BYTES {
        faults.push(format!(
            "the block ```{PLAN_INFO} has {} bytes, at most {MAX_BLOCK_BYTES} are read: shorten it",
            text.len()
        ));
        return None;
    }
    let mut reader = serde_json::Deserializer::from_str(text);
    let read: Result<PlanBlock, _> = serde_path_to_error::deserialize(&mut reader);
    let block = match read {
        Ok(block) => block,
        Err(error) => {
            let path = error.path().to_string();
            let place = if path == "." {
                String::new()
            } else {
                format!(" at `{path}`")
            };
            faults.push(format!(
                "the block ```{PLAN_INFO} is invalid{place}: {}",
                error.into_inner()
            ));
            return None;
        }
    };
    if let Err(error) = reader.end() {
        faults.push(format!(
            "the block ```{PLAN_INFO} must be one JSON object and nothing else: {error}"
        ));
    }
    check_paths("deliverables", &block.deliverables, faults);
    check_paths("docs", &block.docs, faults);
    check_texts("tests", &block.tests, faults);
    check_texts("checklist", &block.checklist, faults);
    for (key, list) in [
        ("deliverables", &block.deliverables),
        ("checklist", &block.checklist),
    ] {
        if list.is_empty() {
            faults.push(format!("`{key}` of the plan is empty: add at least one entry"));
        }
    }
    let named: BTreeSet<&str> = block
        .deliverables
        .iter()
        .chain(&block.docs)
        .map(String::as_str)
        .collect();
    for path in named.iter().filter_map(|path| path.strip_prefix('-')) {
        if !path.is_empty() && named.contains(path) {
            faults.push(format!("the plan both writes and deletes `{path}`: list it once"));
        }
    }
    Some(block)
}

fn check_paths(key: &str, paths: &[String], faults: &mut Vec<String>) {
    check_number(key, paths, faults);
    for path in paths {
        if let Some(why) = planned_path::fault(path.strip_prefix('-').unwrap_or(path)) {
            faults.push(format!(
                "the path `{}` in `{key}` of the plan {why}: write a file path relative to the root of the repository",
                visible(path)
            ));
        }
    }
}

fn check_texts(key: &str, texts: &[String], faults: &mut Vec<String>) {
    check_number(key, texts, faults);
    for text in texts {
        let why = if plain_text(text).is_empty() {
            "is empty"
        } else if text.contains(char::is_control) {
            "has line breaks or control characters"
        } else if text.chars().count() > MAX_TEXT_CHARS {
            "has more than 500 characters"
        } else {
            continue;
        };
        faults.push(format!(
            "the entry `{}` in `{key}` of the plan {why}: write one short line",
            visible(text)
        ));
    }
}

fn check_number(key: &str, list: &[String], faults: &mut Vec<String>) {
    if list.len() > MAX_ENTRIES {
        faults.push(format!(
            "`{key}` of the plan has {} entries, at most {MAX_ENTRIES} are read: list fewer",
            list.len()
        ));
    }
}

/// Escapes text of the plan and cuts it to 120 characters.
fn visible(text: &str) -> String {
    text.chars().take(120).flat_map(char::escape_debug).collect()
}

#[cfg(test)]
mod tests;
