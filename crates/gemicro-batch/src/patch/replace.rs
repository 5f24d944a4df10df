//! Reads search-and-replace blocks: a path, the old lines after `<<<<<<< SEARCH`, and the new lines after `=======`, up
//! to `>>>>>>> REPLACE`.

use super::answer::{AnswerLine, OpeningFence};
use super::change::{Hunk, HunkLine, PatchChange};
use super::error::PatchError;
use super::file_name::announced_path;
use super::read::{MAX_HUNKS, PatchFiles};

/// Whether a line begins a block.
pub(super) fn is_marker(line: &str) -> bool {
    is_sign(line, '<', "SEARCH")
}

/// Reads every block. Consecutive blocks of one file are one change; only the first must name the file.
pub(super) fn read_replacements(lines: &[AnswerLine<'_>], files: &mut PatchFiles) -> Result<(), PatchError> {
    let mut changes: Vec<(String, Vec<Hunk>)> = Vec::new();
    let (mut idx, mut n_hunks) = (0, 0);
    while idx < lines.len() {
        if !is_marker(lines[idx].text) {
            idx += 1;
            continue;
        }
        n_hunks += 1;
        if n_hunks > MAX_HUNKS {
            return Err(PatchError::TooManyHunks { most: MAX_HUNKS });
        }
        let malformed = |message: &str| PatchError::Malformed {
            line: lines[idx].number,
            message: message.to_owned(),
        };
        let last_path = changes.last().map(|(path, _)| path.clone());
        let path = path_above(lines, idx)
            .or(last_path)
            .ok_or_else(|| malformed("write the path of the file on the line above `<<<<<<< SEARCH`"))?;
        let rest = &lines[idx + 1..];
        let middle = rest
            .iter()
            .position(|line| is_sign(line.text, '=', ""))
            .ok_or_else(|| malformed("`<<<<<<< SEARCH` without a line `=======` after it"))?;
        let end = rest[middle..]
            .iter()
            .position(|line| is_sign(line.text, '>', "REPLACE"))
            .ok_or_else(|| malformed("`<<<<<<< SEARCH` without a line `>>>>>>> REPLACE` after it"))?
            + middle;
        let hunk = replacement(&rest[..middle], &rest[middle + 1..end]);
        if !hunk.changes_something() {
            return Err(malformed(
                "the lines to search for and their replacement are the same",
            ));
        }
        match changes.last_mut() {
            Some((known, hunks)) if *known == path => hunks.push(hunk),
            Some(_) | None => changes.push((path, vec![hunk])),
        }
        idx += end + 2;
    }
    for (path, hunks) in changes {
        files.reserve(&path)?;
        let change = match hunks.as_slice() {
            [only] if only.old_lines().all(|line| line.trim().is_empty()) => PatchChange::Create {
                text: only.new_lines().map(|line| format!("{line}\n")).collect(),
            },
            _ => PatchChange::Modify { hunks },
        };
        files.push(path, change);
    }
    Ok(())
}

/// The path on the closest line above that is neither empty nor a fence.
fn path_above(lines: &[AnswerLine<'_>], idx: usize) -> Option<String> {
    let above = lines[..idx].iter().rev().map(|line| line.text.trim());
    let mut above = above.filter(|line| !line.is_empty() && OpeningFence::open(line).is_none());
    announced_path(above.next()?)
}

/// Makes a hunk. Lines that both sides begin or end with become context.
fn replacement(old: &[AnswerLine<'_>], new: &[AnswerLine<'_>]) -> Hunk {
    let same = |(old, new): &(&AnswerLine<'_>, &AnswerLine<'_>)| old.text == new.text;
    let n_before = old.iter().zip(new).take_while(same).count();
    let (old_rest, new_rest) = (&old[n_before..], &new[n_before..]);
    let n_after = old_rest
        .iter()
        .rev()
        .zip(new_rest.iter().rev())
        .take_while(same)
        .count();
    let context = |line: &AnswerLine<'_>| HunkLine::Context(line.text.to_owned());
    let (old_rest, after) = old_rest.split_at(old_rest.len() - n_after);
    let before = old[..n_before].iter().map(context);
    let removed = old_rest.iter().map(|line| HunkLine::Remove(line.text.to_owned()));
    let added = new_rest[..new_rest.len() - n_after].iter();
    let added = added.map(|line| HunkLine::Add(line.text.to_owned()));
    Hunk {
        hint: None,
        lines: before
            .chain(removed)
            .chain(added)
            .chain(after.iter().map(context))
            .collect(),
        ends_without_newline: false,
    }
}

/// Whether a line is a marker: five or more of a character, then the word.
fn is_sign(line: &str, sign: char, word: &str) -> bool {
    let rest = line.trim_end().trim_start_matches(sign);
    line.trim_end().len() - rest.len() >= 5 && rest.trim() == word
}
