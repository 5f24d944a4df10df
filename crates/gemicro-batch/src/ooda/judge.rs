//! Finds the lines of the program that a test newly covers.

use std::collections::BTreeMap;

use super::observation::UncoveredLines;
use crate::coverage::ProjectCoverage;
use crate::patch::NewText;

/// Newly covered lines by file, with their new line numbers.
pub(super) type NewlyCovered = BTreeMap<String, Vec<u32>>;

/// The lines that were not covered before and are now. In a file that the patch changed, lines before and after the
/// change are mapped to their new numbers.
pub(super) fn newly_covered(
    before: &[UncoveredLines],
    now: &ProjectCoverage,
    texts: &[NewText],
) -> NewlyCovered {
    let mut newly = NewlyCovered::new();
    for file in before {
        let Some(covered) = now.file(&file.path) else {
            continue;
        };
        let changed = texts.iter().find(|text| text.path == file.path);
        let lines: Vec<u32> = file
            .ranges
            .iter()
            .flat_map(|range| range.first..=range.last)
            .filter_map(|line| changed.map_or(Some(line), |text| moved_line(text, line)))
            .filter(|line| covered.lines.get(line).is_some_and(|count| *count > 0))
            .collect();
        if !lines.is_empty() {
            newly.insert(file.path.clone(), lines);
        }
    }
    newly
}

/// The new number of an old line; `None` if it was changed.
fn moved_line(text: &NewText, line: u32) -> Option<u32> {
    let old: Vec<&str> = text.old.as_deref().unwrap_or_default().lines().collect();
    let new: Vec<&str> = text.new.lines().collect();
    let n_same_head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let rest = old.len().min(new.len()) - n_same_head;
    let (old_back, new_back) = (old.iter().rev(), new.iter().rev());
    let n_same_tail = old_back
        .zip(new_back)
        .take(rest)
        .take_while(|(a, b)| a == b)
        .count();
    let idx = line.checked_sub(1)? as usize;
    let place = if idx < n_same_head {
        idx
    } else if idx >= old.len() - n_same_tail && idx < old.len() {
        new.len() - (old.len() - idx)
    } else {
        return None;
    };
    u32::try_from(place + 1).ok()
}

pub(super) fn ranges(lines: &[u32]) -> Vec<(u32, u32)> {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for line in lines {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == *line => *last = *line,
            _ => ranges.push((*line, *line)),
        }
    }
    ranges
}

#[cfg(test)]
mod tests;
