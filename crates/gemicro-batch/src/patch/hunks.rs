//! One hunk of a diff, read leniently: what its header counts is a hint, its lines are the truth.

use super::answer::{AnswerBlockKind, AnswerLine, is_file_header};
use super::change::{Hunk, HunkLine};
use super::error::PatchError;

/// What `@@ -1,2 +3,4 @@` says, as far as it says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct HunkHeader {
    /// The first old line.
    pub(super) start: Option<usize>,
    /// How many old and new lines.
    pub(super) counts: Option<(usize, usize)>,
}

/// A hunk, the lines of which an empty one is known not to have been written with its leading sign.
#[derive(Debug)]
pub(super) struct RawHunk {
    pub(super) header: HunkHeader,
    pub(super) hunk: Hunk,
    /// For each line whether it was wholly empty in the answer.
    pub(super) is_bare: Vec<bool>,
}

impl HunkHeader {
    /// Reads a line that begins with `@@`. Numbers that are not there, or are no numbers, are not known.
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

    /// Whether a hunk of this size is as long as the header says. Of a new file only the new side counts.
    fn is_met(&self, n_old: usize, n_new: usize) -> bool {
        self.counts
            .is_some_and(|(old, new)| n_new == new && (old == 0 || n_old == old))
    }
}

/// Reads the lines of a hunk from `from` on, and gives the index of the first line that is not its own.
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
        // The end of a mail: `-- ` and a version.
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
                let message = format!("`{shown}` is no line of a hunk: each begins with a space, `+` or `-`");
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

    /// Drops empty lines at the end, which lie between this hunk and what follows, unless the header counts them.
    fn trim(&mut self, header: &HunkHeader) {
        let n_empty = self.is_bare.iter().rev().take_while(|is_bare| **is_bare).count();
        let n_dropped = (0..=n_empty)
            .find(|n_dropped| header.is_met(self.n_old - n_dropped, self.n_new - n_dropped))
            .unwrap_or(n_empty);
        self.lines.truncate(self.lines.len() - n_dropped);
        self.is_bare.truncate(self.lines.len());
    }
}

/// How many lines of the old and of the new side a line is.
fn sides(line: &HunkLine) -> (usize, usize) {
    match line {
        HunkLine::Context(_) => (1, 1),
        HunkLine::Remove(_) => (1, 0),
        HunkLine::Add(_) => (0, 1),
    }
}
