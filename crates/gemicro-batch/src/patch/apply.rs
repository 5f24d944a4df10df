//! Applies a patch to the old texts.
//!
//! The lines of a hunk must be in the file; only trailing white space is ignored, and context lines keep theirs. If
//! they occur more than once, the occurrence nearest to the hint is used, as `git apply` does; the later one of two
//! equally near ones. Hunks may come in any order but must not overlap.

use std::fmt::Display;
use std::ops::Range;

use super::change::{FilePatch, Hunk, HunkLine, Patch, PatchChange};
use super::error::PatchError;
use super::lines::{line_break, split_lines, without_end};
use super::search::{HunkMatch, search};

/// A file before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewText {
    /// Path in the project, with forward slashes.
    pub path: String,
    /// Its text before; `None` when it is new.
    pub old: Option<String>,
    /// The text after the patch.
    pub new: String,
}

impl Patch {
    /// Applies the patch. `read` returns the text of a file, or `None` if it does not exist; called once per file.
    ///
    /// # Errors
    /// When a file cannot be read, exists or is missing contrary to the patch, or a hunk does not fit. There is no
    /// partial result.
    pub fn apply<E: Display>(
        &self,
        mut read: impl FnMut(&str) -> Result<Option<String>, E>,
    ) -> Result<Vec<NewText>, PatchError> {
        let mut texts = Vec::with_capacity(self.files.len());
        for file in &self.files {
            let old = read(&file.path).map_err(|error| PatchError::Unreadable {
                path: file.path.clone(),
                why: error.to_string(),
            })?;
            texts.push(new_text(file, old)?);
        }
        Ok(texts)
    }
}

fn new_text(file: &FilePatch, old: Option<String>) -> Result<NewText, PatchError> {
    let path = file.path.clone();
    let new = match (&file.change, &old) {
        (PatchChange::Create { text }, None) => text.clone(),
        (PatchChange::Create { .. }, Some(_)) => return Err(PatchError::Exists { path }),
        (PatchChange::Write { text }, None) => text.clone(),
        // The file keeps its style of line breaks.
        (PatchChange::Write { text }, Some(old)) => text.replace('\n', line_break(&split_lines(old))),
        (PatchChange::Modify { .. }, None) => return Err(PatchError::Missing { path }),
        (PatchChange::Modify { hunks }, Some(old)) => apply_hunks(&path, hunks, old)?,
    };
    if old.as_ref() == Some(&new) {
        return Err(PatchError::ChangesNothing { path });
    }
    Ok(NewText { path, old, new })
}

/// A hunk and the range of file lines that it replaces.
struct PlacedHunk<'h> {
    hunk: &'h Hunk,
    lines: Range<usize>,
}

fn apply_hunks(path: &str, hunks: &[Hunk], old: &str) -> Result<String, PatchError> {
    let lines = split_lines(old);
    let compared: Vec<&str> = lines.iter().map(|line| without_end(line)).collect();
    let mut placed: Vec<PlacedHunk<'_>> = Vec::new();
    // Distance of the previous hunk from its hint: the next one is likely to be off by the same.
    let mut drift = 0_isize;
    for (idx, hunk) in hunks.iter().enumerate() {
        let site = PatchSite {
            path,
            idx,
            hunk,
            drift,
        };
        let range = place(&site, &lines, &compared, &placed)?;
        if let Some(hint) = hunk.hint {
            drift = range.start.cast_signed() - hint.saturating_sub(1).cast_signed();
        }
        let at = placed.partition_point(|other| other.lines.start <= range.start);
        placed.insert(at, PlacedHunk { hunk, lines: range });
    }
    Ok(put_together(&lines, &placed))
}

/// The hunk to place.
struct PatchSite<'h> {
    path: &'h str,
    idx: usize,
    hunk: &'h Hunk,
    drift: isize,
}

fn place(
    site: &PatchSite<'_>,
    lines: &[&str],
    compared: &[&str],
    placed: &[PlacedHunk<'_>],
) -> Result<Range<usize>, PatchError> {
    let (path, hunk) = (site.path.to_owned(), site.idx + 1);
    let wanted: Vec<&str> = site.hunk.old_lines().map(without_end).collect();
    if wanted.is_empty() {
        // Without context lines, the end of the file is the only certain position.
        let is_at_end = site.hunk.hint.is_some_and(|hint| hint >= lines.len());
        return is_at_end
            .then_some(lines.len()..lines.len())
            .ok_or(PatchError::NoContext { path, hunk });
    }
    let hinted = match site.hunk.hint {
        Some(hint) => hint.saturating_sub(1).saturating_add_signed(site.drift),
        None => placed.last().map_or(0, |before| before.lines.end),
    };
    let near = hinted.min(lines.len());
    let found = search(compared, &wanted, near);
    let is_free = |place: &usize| {
        let after = placed.partition_point(|other| other.lines.start <= *place);
        let is_behind = after == 0 || placed[after - 1].lines.end <= *place;
        let is_before = placed
            .get(after)
            .is_none_or(|next| place + wanted.len() <= next.lines.start);
        is_behind && is_before
    };
    let nearest = found
        .places
        .iter()
        .copied()
        .filter(is_free)
        .min_by_key(|place| (place.abs_diff(near), *place < near));
    match nearest {
        Some(start) => Ok(start..start + wanted.len()),
        None => Err(misplaced_hunk(site, compared, &wanted, near, &found)),
    }
}

/// Explains why a hunk does not fit anywhere.
fn misplaced_hunk(
    site: &PatchSite<'_>,
    compared: &[&str],
    wanted: &[&str],
    near: usize,
    found: &HunkMatch,
) -> PatchError {
    let (path, hunk) = (site.path.to_owned(), site.idx + 1);
    let new: Vec<&str> = site.hunk.new_lines().map(without_end).collect();
    if let Some(start) = search(compared, &new, near).places.first() {
        let line = start + 1;
        return PatchError::AlreadyApplied { path, hunk, line };
    }
    // A position taken by another hunk matches completely, so point at its first line.
    let n_fitting = if found.n_fitting == wanted.len() {
        0
    } else {
        found.n_fitting
    };
    let line = found.best + n_fitting;
    PatchError::NotFound {
        path,
        hunk,
        expected: wanted[n_fitting].to_owned(),
        line: line + 1,
        found: excerpt(compared, line),
    }
}

/// Some lines of a file with their numbers, for a message.
fn excerpt(compared: &[&str], line: usize) -> String {
    const AROUND: usize = 3;
    const MOST: usize = 200;
    let first = line.saturating_sub(AROUND);
    let shown: Vec<String> = compared
        .iter()
        .enumerate()
        .skip(first)
        .take(2 * AROUND + 1)
        .map(|(idx, line)| format!("{:>5} | {}", idx + 1, line.chars().take(MOST).collect::<String>()))
        .collect();
    if shown.is_empty() {
        return "(behind the end of the file)".to_owned();
    }
    shown.join("\n")
}

fn put_together(lines: &[&str], placed: &[PlacedHunk<'_>]) -> String {
    let line_break = line_break(lines);
    let mut new = String::new();
    let mut done = 0;
    for PlacedHunk { hunk, lines: range } in placed {
        lines[done..range.start]
            .iter()
            .for_each(|line| add_line(&mut new, line, line_break));
        let mut old_lines = lines[range.clone()].iter();
        let mut last_is_kept = false;
        for line in &hunk.lines {
            last_is_kept = match line {
                HunkLine::Context(_) => {
                    let kept = old_lines
                        .next()
                        .expect("a hunk is placed where its old lines are");
                    add_line(&mut new, kept, line_break);
                    true
                }
                HunkLine::Remove(_) => {
                    old_lines.next();
                    last_is_kept
                }
                HunkLine::Add(text) => {
                    add_line(&mut new, text, line_break);
                    new.push_str(line_break);
                    false
                }
            };
        }
        done = range.end;
        if done == lines.len() && hunk.ends_without_newline && !last_is_kept {
            new.truncate(without_break(&new).len());
        }
    }
    lines[done..]
        .iter()
        .for_each(|line| add_line(&mut new, line, line_break));
    new
}

/// Adds a line, first ending an unterminated one before it.
fn add_line(text: &mut String, line: &str, line_break: &str) {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push_str(line_break);
    }
    text.push_str(line);
}

fn without_break(text: &str) -> &str {
    let text = text.strip_suffix('\n').unwrap_or(text);
    text.strip_suffix('\r').unwrap_or(text)
}
