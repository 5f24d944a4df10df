//! Checks VERSION and CHANGELOG: they must change if they exist or if the plan says so.
//!
//! Only files at the root count, with the usual names in the usual spellings or in the plan's spelling. A version
//! inside another file, such as a manifest, is not examined.

use std::cmp::Ordering;

use super::WorkTrees;
use crate::evidence::plan_block::PlanBlock;

/// The usual names of one kind of file.
struct Names {
    title: &'static str,
    lower: &'static [&'static str],
    /// The usual spellings, because a tree cannot list its files.
    usual: &'static [&'static str],
}

const VERSION: Names = Names {
    title: "VERSION",
    lower: &["version", "version.txt"],
    usual: &[
        "VERSION",
        "Version",
        "version",
        "VERSION.txt",
        "Version.txt",
        "version.txt",
        "VERSION.TXT",
    ],
};

const CHANGELOG: Names = Names {
    title: "CHANGELOG",
    lower: &["changelog", "changelog.md"],
    usual: &[
        "CHANGELOG.md",
        "Changelog.md",
        "ChangeLog.md",
        "changelog.md",
        "CHANGELOG.MD",
        "CHANGELOG",
        "Changelog",
        "ChangeLog",
        "changelog",
    ],
};

/// Number of changelog lines that may always be removed or rewritten.
const GONE: usize = 2;

/// Returns what is wrong with VERSION and CHANGELOG.
pub(super) fn faults(plan: &PlanBlock, trees: &WorkTrees<'_>) -> Vec<String> {
    let mut faults = of_kind(&VERSION, plan.version, plan, trees);
    faults.extend(of_kind(&CHANGELOG, plan.changelog, plan, trees));
    for path in spellings(&VERSION, plan) {
        faults.extend(version_lowered(path, trees));
    }
    for path in spellings(&CHANGELOG, plan) {
        faults.extend(changelog_missing(path, trees));
    }
    faults
}

fn of_kind(names: &Names, is_planned: Option<bool>, plan: &PlanBlock, trees: &WorkTrees<'_>) -> Vec<String> {
    let paths = spellings(names, plan);
    let mut faults = Vec::new();
    let mut is_changed = false;
    for path in &paths {
        let trimmed = |content: Option<Vec<u8>>| content.map(|content| content.trim_ascii().to_vec());
        let before = trimmed(trees.base.read(path));
        let after = trimmed(trees.tip.read(path));
        match (before, after) {
            (None, None) => {}
            (Some(_), None) => faults.push(format!(
                "`{path}` was deleted: restore it and bring it up to date"
            )),
            (Some(before), Some(after)) if before == after => {
                faults.push(format!(
                    "`{path}` was not changed: every change of the program needs an entry"
                ));
            }
            (Some(_) | None, Some(_)) => is_changed = true,
        }
    }
    if is_planned == Some(true) && !is_changed && faults.is_empty() {
        faults.push(format!(
            "the plan changes {}, but the root folder has no such file: create it",
            names.title
        ));
    }
    // A file named in the plan is already reported with the deliverables.
    let is_named = |fault: &String| {
        let mut named = plan.deliverables.iter().chain(&plan.docs);
        named.any(|path| fault.starts_with(&format!("`{path}` was not changed")))
    };
    faults.retain(|fault| !is_named(fault));
    faults
}

/// Returns the usual spellings and those in the plan.
fn spellings<'p>(names: &Names, plan: &'p PlanBlock) -> Vec<&'p str> {
    let mut paths: Vec<&'p str> = names.usual.to_vec();
    for path in plan.deliverables.iter().chain(&plan.docs) {
        let is_one = names.lower.contains(&path.to_ascii_lowercase().as_str());
        if is_one && !paths.contains(&path.as_str()) {
            paths.push(path);
        }
    }
    paths
}

/// Reports a version that went down or is no longer a version.
fn version_lowered(path: &str, trees: &WorkTrees<'_>) -> Option<String> {
    let (was, is) = (trees.base.read(path)?, trees.tip.read(path)?);
    if was.trim_ascii() == is.trim_ascii() {
        return None;
    }
    let before = numbers(&was)?;
    let text = |numbers: &[u64]| numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(".");
    let Some(after) = numbers(&is) else {
        return Some(format!(
            "`{path}` is no longer a version (it was {}): write the next one",
            text(&before)
        ));
    };
    let length = before.len().max(after.len());
    let filled = |mut numbers: Vec<u64>| {
        numbers.resize(length, 0);
        numbers
    };
    let has_gone_up = match filled(after.clone()).cmp(&filled(before.clone())) {
        Ordering::Greater => true,
        // With equal numbers, only a pre-release can become the release.
        Ordering::Equal => was.contains(&b'-'),
        Ordering::Less => false,
    };
    (!has_gone_up).then(|| {
        format!(
            "`{path}` has version {}, which is not higher than {}: write the next version",
            text(&after),
            text(&before)
        )
    })
}

/// Reports a changelog that lost its history or has no new entry. Headings and rules do not count as entries.
fn changelog_missing(path: &str, trees: &WorkTrees<'_>) -> Option<String> {
    let (before, after) = (trees.base.read(path)?, trees.tip.read(path)?);
    if before.trim_ascii() == after.trim_ascii() {
        return None;
    }
    let lines = |content: &[u8]| -> Vec<String> {
        let text = String::from_utf8_lossy(content);
        let lines = text.lines().map(|line| line.trim().to_owned());
        lines
            .filter(|line| !line.starts_with('#') && line.chars().any(char::is_alphanumeric))
            .collect()
    };
    let (before, after) = (lines(&before), lines(&after));
    let n_lost = before.iter().filter(|line| !after.contains(line)).count();
    if n_lost > GONE && 2 * n_lost > before.len() {
        return Some(format!(
            "`{path}` lost {n_lost} of its {} lines: restore its history",
            before.len()
        ));
    }
    let is_new = after.iter().any(|line| !before.contains(line));
    (!is_new).then(|| format!("`{path}` has no new entry: describe what changed"))
}

/// Reads `v1.2.3-rc.1` as 1, 2, 3.
fn numbers(content: &[u8]) -> Option<Vec<u64>> {
    let text = std::str::from_utf8(content).ok()?.trim();
    let text = text.strip_prefix(['v', 'V']).unwrap_or(text);
    let text = text.split(['-', '+']).next().unwrap_or(text);
    text.split('.').map(|part| part.parse().ok()).collect()
}
