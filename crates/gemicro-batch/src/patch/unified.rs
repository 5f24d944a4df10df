//! Changed texts as a diff that `git apply` takes.

use std::ops::Range;

use super::apply::NewText;
use super::lines::split_lines;
use super::myers::{Replaced, replaced};

/// Lines shown before and after a change.
const CONTEXT: usize = 3;

/// Writes changes as a unified diff with the headers of git: three lines of context, numbers and counts that are true.
/// What is the same before and after is left out.
#[must_use]
pub fn unified(changes: &[NewText]) -> String {
    let mut diff = String::new();
    for change in changes {
        write_file(&mut diff, change);
    }
    diff
}

fn write_file(diff: &mut String, change: &NewText) {
    let old = split_lines(change.old.as_deref().unwrap_or_default());
    let new = split_lines(&change.new);
    let replaced = replaced(&old, &new);
    let is_new = change.old.is_none();
    if replaced.is_empty() && !is_new {
        return;
    }
    let (old_name, new_name) = (name("a", &change.path), name("b", &change.path));
    diff.push_str(&format!("diff --git {old_name} {new_name}\n"));
    if is_new {
        diff.push_str("new file mode 100644\n");
    }
    if replaced.is_empty() {
        // A new file without lines: git names its content, or takes it for no change.
        diff.push_str("index 0000000..e69de29\n");
        return;
    }
    let old_name = if is_new { "/dev/null" } else { &old_name };
    // A tab ends a name with spaces.
    let end = |name: &str| if name.contains(' ') { "\t" } else { "" };
    diff.push_str(&format!(
        "--- {old_name}{}\n+++ {new_name}{}\n",
        end(old_name),
        end(&new_name)
    ));
    // Changes that are near enough are shown together.
    for hunk in replaced.chunk_by(|before, after| after.old.start - before.old.end <= 2 * CONTEXT) {
        write_hunk(diff, hunk, &old, &new);
    }
}

fn write_hunk(diff: &mut String, hunk: &[Replaced], old: &[&str], new: &[&str]) {
    let (Some(first), Some(last)) = (hunk.first(), hunk.last()) else {
        return;
    };
    let n_before = first.old.start.min(CONTEXT);
    let n_after = (old.len() - last.old.end).min(CONTEXT);
    let old_range = first.old.start - n_before..last.old.end + n_after;
    let new_range = first.new.start - n_before..last.new.end + n_after;
    diff.push_str(&format!("@@ -{} +{} @@\n", shown(&old_range), shown(&new_range)));
    let mut done = old_range.start;
    for change in hunk {
        write_lines(diff, ' ', &old[done..change.old.start]);
        write_lines(diff, '-', &old[change.old.clone()]);
        write_lines(diff, '+', &new[change.new.clone()]);
        done = change.old.end;
    }
    write_lines(diff, ' ', &old[done..old_range.end]);
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

/// A range as a hunk's header has it: an empty one is named by the line before it.
fn shown(range: &Range<usize>) -> String {
    let start = if range.is_empty() {
        range.start
    } else {
        range.start + 1
    };
    format!("{start},{}", range.len())
}

/// A name with its prefix, in quotes where it has one itself.
fn name(prefix: &str, path: &str) -> String {
    if path.contains('"') {
        let quoted = path.replace('"', "\\\"");
        return format!("\"{prefix}/{quoted}\"");
    }
    format!("{prefix}/{path}")
}
