//! Writes changed texts as a diff for `git apply`.

use std::ops::Range;

use similar::{Algorithm, DiffOp, DiffTag, capture_diff_slices, group_diff_ops};

use super::apply::NewText;
use super::lines::split_lines;

/// Lines shown before and after a change.
const CONTEXT: usize = 3;

/// Writes changes as a unified diff with git headers, three lines of context, and correct numbers and counts.
/// Unchanged files are left out.
#[must_use]
pub fn unified_diff(changes: &[NewText]) -> String {
    let mut diff = String::new();
    for change in changes {
        write_file(&mut diff, change);
    }
    diff
}

fn write_file(diff: &mut String, change: &NewText) {
    let old = split_lines(change.old.as_deref().unwrap_or_default());
    let new = split_lines(&change.new);
    let hunks = group_diff_ops(capture_diff_slices(Algorithm::Myers, &old, &new), CONTEXT);
    let is_new = change.old.is_none();
    if hunks.is_empty() && !is_new {
        return;
    }
    let (old_name, new_name) = (name("a", &change.path), name("b", &change.path));
    diff.push_str(&format!("diff --git {old_name} {new_name}\n"));
    if is_new {
        diff.push_str("new file mode 100644\n");
    }
    if hunks.is_empty() {
        // An empty new file: without an `index` line, git sees no change.
        diff.push_str("index 0000000..e69de29\n");
        return;
    }
    let old_name = if is_new { "/dev/null" } else { &old_name };
    // Names with spaces are terminated by a tab.
    let end = |name: &str| if name.contains(' ') { "\t" } else { "" };
    diff.push_str(&format!(
        "--- {old_name}{}\n+++ {new_name}{}\n",
        end(old_name),
        end(&new_name)
    ));
    for hunk in hunks {
        write_hunk(diff, &hunk, &old, &new);
    }
}

fn write_hunk(diff: &mut String, hunk: &[DiffOp], old: &[&str], new: &[&str]) {
    let (Some(first), Some(last)) = (hunk.first(), hunk.last()) else {
        return;
    };
    let old_range = first.old_range().start..last.old_range().end;
    let new_range = first.new_range().start..last.new_range().end;
    diff.push_str(&format!(
        "@@ -{} +{} @@\n",
        range_text(&old_range),
        range_text(&new_range)
    ));
    for op in hunk {
        if op.tag() == DiffTag::Equal {
            write_lines(diff, ' ', &old[op.old_range()]);
        } else {
            write_lines(diff, '-', &old[op.old_range()]);
            write_lines(diff, '+', &new[op.new_range()]);
        }
    }
}

fn write_lines(diff: &mut String, sign: char, lines: &[&str]) {
    for line in lines {
        diff.push(sign);
        diff.push_str(line);
        if !line.ends_with('\n') {
            diff.push_str("\n\\ No newline at end of file\n");
        }
    }
}

/// The range in a hunk header; an empty range is given as the line before it.
fn range_text(range: &Range<usize>) -> String {
    let start = if range.is_empty() {
        range.start
    } else {
        range.start + 1
    };
    format!("{start},{}", range.len())
}

/// A name with its prefix, quoted if it contains a quote.
fn name(prefix: &str, path: &str) -> String {
    if path.contains('"') {
        let quoted = path.replace('"', "\\\"");
        return format!("\"{prefix}/{quoted}\"");
    }
    format!("{prefix}/{path}")
}
