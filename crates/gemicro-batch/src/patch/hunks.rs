//! Parses a hunk leniently: the counts in its header are hints, its lines decide.

use super::answer::{AnswerBlockKind, AnswerLine, is_file_header};
use super::change::{Hunk, HunkLine};
use super::error::PatchError;

/// The numbers in `@@ -1,2 +3,4 @@`, if present.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct HunkHeader {
    /// First line in the old file.
    pub(super) start: Option<usize>,
    /// Numbers of old and new lines.
    pub(super) counts: Option<(usize, usize)>,
}

/// A parsed hunk that remembers which empty lines had no leading character.
#[derive(Debug)]
pub(super) struct RawHunk {
    pub(super) header: HunkHeader,
    pub(super) hunk: Hunk,
    /// Whether each line was completely empty in the answer.
    pub(super) is_bare: Vec<bool>,
}

impl HunkHeader {
    /// Parses a line that begins with `@@`. Missing or invalid numbers become `None`.
    pub(super) fn read(line: &str) -> Self {
        let range = |text: &str, sign: char| {
            let (start, count) = text
                .strip_prefix(sign)?
                .split_once(',')
                .unwrap_or((&text[1..], "1"));
            Some((start.parse::<usize>().ok()?, count.parse::<usize>().ok()?))
        };
        let mut parts = line.trim_start_matches('@').split_whitespace();
        let old = parts.next().and_then(|text| range(text, '-'));
        let new = parts.next().and_then(|text| range(text, '+'));
        Self {
            start: old.map(|(start, _)| start),
            counts: old.zip(new).map(|((_, old), (_, new))| (old, new)),
        }
    }

    /// Whether the hunk is as long as the header says. For a new file only the new side counts.
    fn is_met(&self, n_old: usize, n_new: usize) -> bool {
        self.counts
            .is_some_and(|(old, new)| n_new == new && (old == 0 || n_old == old))
    }
}

/// Parses the lines of a hunk starting at `from`; also returns the index of the first line after it.
pub(super) fn read_hunk(
    header: HunkHeader,
    lines: &[AnswerLine<'_>],
    from: usize,
    kind: AnswerBlockKind,
) -> Result<(RawHunk, usize), PatchError> {
    let mut reading = HunkReader {
        lines: Vec::new(),
        is_bare: Vec::new(),
        n_old: 0,
        n_new: 0,
        ends_without_newline: false,
    };
    let mut idx = from;
    while idx < lines.len() {
        let AnswerLine { number, text } = lines[idx];
        let is_met = header.is_met(reading.n_old, reading.n_new);
        let is_next = text.starts_with("@@") || text.starts_with("diff --git ") || is_file_header(lines, idx);
        // A mail signature: `-- ` and a version.
        let is_signature = is_met && text.trim_end() == "--";
        if is_next || is_signature {
            break;
        }
        match text.as_bytes().first() {
            Some(b'+') => reading.push(HunkLine::Add(text[1..].to_owned()), false),
            Some(b'-') => reading.push(HunkLine::Remove(text[1..].to_owned()), false),
            Some(b' ') => reading.push(HunkLine::Context(text[1..].to_owned()), false),
            Some(b'\\') => reading.end_without_newline(),
            None if kind == AnswerBlockKind::Bare && is_met => break,
            None => reading.push(HunkLine::Context(String::new()), true),
            Some(_) if kind == AnswerBlockKind::Bare => break,
            Some(_) => {
                let shown: String = text.chars().take(80).collect();
                let message =
                    format!("`{shown}` is not a line of a hunk: each must begin with a space, `+` or `-`");
                return Err(PatchError::Malformed {
                    line: number,
                    message,
                });
            }
        }
        idx += 1;
    }
    reading.trim(&header);
    let hunk = Hunk {
        hint: header.start,
        lines: reading.lines,
        ends_without_newline: reading.ends_without_newline,
    };
    let is_bare = reading.is_bare;
    Ok((
        RawHunk {
            header,
            hunk,
            is_bare,
        },
        idx,
    ))
}

struct HunkReader {
    lines: Vec<HunkLine>,
    is_bare: Vec<bool>,
    n_old: usize,
    n_new: usize,
    ends_without_newline: bool,
}

impl HunkReader {
    fn push(&mut self, line: HunkLine, is_bare: bool) {
        let (old, new) = sides(&line);
        self.n_old += old;
        self.n_new += new;
        self.ends_without_newline &= new == 0;
        self.lines.push(line);
        self.is_bare.push(is_bare);
    }

    fn end_without_newline(&mut self) {
        self.ends_without_newline |= self.lines.last().is_some_and(|line| sides(line).1 == 1);
    }

    /// Drops trailing empty lines, which separate this hunk from the next part, unless the header counts them.
    fn trim(&mut self, header: &HunkHeader) {
        let n_empty = self.is_bare.iter().rev().take_while(|is_bare| **is_bare).count();
        let n_dropped = (0..=n_empty)
            .find(|n_dropped| header.is_met(self.n_old - n_dropped, self.n_new - n_dropped))
            .unwrap_or(n_empty);
        self.lines.truncate(self.lines.len() - n_dropped);
        self.is_bare.truncate(self.lines.len());
    }
}

/// The number of old and new lines that a line stands for.
fn sides(line: &HunkLine) -> (usize, usize) {
    match line {
        HunkLine::Context(_) => (1, 1),
        HunkLine::Remove(_) => (1, 0),
        HunkLine::Add(_) => (0, 1),
    }
}
