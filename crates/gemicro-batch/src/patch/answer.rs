//! Splits an answer into lines and fenced blocks, and finds the diff in it.

use super::file_name::file_name_of;

/// A line of the answer, without its line break.
#[derive(Debug, Clone, Copy)]
pub(super) struct AnswerLine<'a> {
    /// Its number, from 1.
    pub(super) number: usize,
    pub(super) text: &'a str,
}

/// Lines that contain a diff, perhaps with other text around it.
#[derive(Debug)]
pub(super) struct AnswerBlock<'a> {
    /// How certain it is that every line belongs to the diff.
    pub(super) kind: AnswerBlockKind,
    pub(super) lines: Vec<AnswerLine<'a>>,
}

/// Where a block of lines was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AnswerBlockKind {
    /// Inside fences: every line belongs to the diff.
    Fenced,
    /// In the text: there may be prose before and after.
    Bare,
}

/// The lines of an answer.
pub(super) fn answer_lines(answer: &str) -> Vec<AnswerLine<'_>> {
    let lines = answer.split('\n').enumerate();
    lines
        .map(|(idx, text)| AnswerLine {
            number: idx + 1,
            text: text.strip_suffix('\r').unwrap_or(text),
        })
        .collect()
}

/// The blocks of an answer that contain a diff: fenced ones, or else the whole text. `None` if it has no diff.
pub(super) fn diff_blocks<'a>(
    lines: &[AnswerLine<'a>],
    fenced: &[FencedBlock<'a>],
) -> Option<Vec<AnswerBlock<'a>>> {
    let has_diff = |block: &&FencedBlock<'_>| has_header(&block.lines) && !block.is_named_file(lines);
    if fenced.iter().any(|block| has_diff(&block)) {
        let has_hunk = |block: &FencedBlock<'_>| block.lines.iter().any(|line| line.text.starts_with("@@"));
        let is_diff =
            |block: &&FencedBlock<'_>| has_diff(block) || (block.is_tagged_diff() && has_hunk(block));
        let blocks = fenced.iter().filter(is_diff).map(|block| AnswerBlock {
            kind: AnswerBlockKind::Fenced,
            lines: block.lines.clone(),
        });
        return Some(blocks.collect());
    }
    let is_bare = has_header(lines) && !fenced.iter().any(|block| block.is_named_file(lines));
    is_bare.then(|| {
        vec![AnswerBlock {
            kind: AnswerBlockKind::Bare,
            lines: lines.to_vec(),
        }]
    })
}

/// Whether `--- old` and `+++ new` are at this index.
pub(super) fn is_file_header(lines: &[AnswerLine<'_>], idx: usize) -> bool {
    let begins = |idx: usize, with: &str| lines.get(idx).is_some_and(|line| line.text.starts_with(with));
    begins(idx, "--- ") && begins(idx + 1, "+++ ")
}

fn has_header(lines: &[AnswerLine<'_>]) -> bool {
    (0..lines.len()).any(|idx| lines[idx].text.starts_with("diff --git ") || is_file_header(lines, idx))
}

/// The lines between two fences.
#[derive(Debug)]
pub(super) struct FencedBlock<'a> {
    /// Index of the opening fence in the answer.
    pub(super) start: usize,
    /// The text after the fence characters.
    pub(super) info: &'a str,
    pub(super) lines: Vec<AnswerLine<'a>>,
    /// Whether the closing fence is there; if not, the answer was cut off.
    pub(super) is_closed: bool,
}

impl FencedBlock<'_> {
    /// Whether the fence is tagged as a diff.
    pub(super) fn is_tagged_diff(&self) -> bool {
        let tag = self.info.split_whitespace().next().unwrap_or_default();
        ["diff", "patch", "udiff"]
            .iter()
            .any(|known| tag.eq_ignore_ascii_case(known))
    }

    /// Whether it is a whole file that only contains a diff, such as a test for a diff parser.
    fn is_named_file(&self, lines: &[AnswerLine<'_>]) -> bool {
        let first = self.lines.iter().position(|line| !line.text.trim().is_empty());
        let begins_as_diff = first.is_some_and(|idx| {
            let is_head = |start: &str| self.lines[idx].text.starts_with(start);
            is_file_header(&self.lines, idx) || ["diff --git ", "index ", "@@"].into_iter().any(is_head)
        });
        !begins_as_diff && !self.is_tagged_diff() && file_name_of(self, lines).is_some()
    }
}

/// The fenced blocks of an answer.
pub(super) fn fenced_blocks<'a>(lines: &[AnswerLine<'a>]) -> Vec<FencedBlock<'a>> {
    let mut blocks = Vec::new();
    let mut idx = 0;
    while idx < lines.len() {
        let Some(fence) = OpeningFence::open(lines[idx].text) else {
            idx += 1;
            continue;
        };
        let rest = &lines[idx + 1..];
        let end = rest.iter().position(|line| fence.closes(line.text));
        let n_lines = end.unwrap_or(rest.len());
        let inside = rest[..n_lines].iter().map(|line| AnswerLine {
            text: line.text.strip_prefix(fence.indent).unwrap_or(line.text),
            ..*line
        });
        blocks.push(FencedBlock {
            start: idx,
            info: fence.info,
            lines: inside.collect(),
            is_closed: end.is_some(),
        });
        idx += n_lines + 2;
    }
    blocks
}

/// The line that opens a fenced block.
pub(super) struct OpeningFence<'a> {
    indent: &'a str,
    signs: &'a str,
    info: &'a str,
}

impl<'a> OpeningFence<'a> {
    pub(super) fn open(line: &'a str) -> Option<Self> {
        let start = line.trim_start_matches([' ', '\t']);
        let indent = &line[..line.len() - start.len()];
        let sign = start.chars().next().filter(|sign| ['`', '~'].contains(sign))?;
        let info = start.trim_start_matches(sign);
        let signs = &start[..start.len() - info.len()];
        // A line such as ```` ```x``` ```` is inline code.
        let is_fence = signs.len() >= 3 && !info.contains(sign);
        is_fence.then_some(Self {
            indent,
            signs,
            info: info.trim(),
        })
    }

    /// Whether a line closes the block. It must have the indentation of the opening fence: context lines of a diff
    /// have one more space and may contain fences.
    fn closes(&self, line: &str) -> bool {
        let sign = &self.signs[..1];
        line.strip_prefix(self.indent).is_some_and(|line| {
            let line = line.trim_end();
            line.len() >= self.signs.len()
                && line.starts_with(self.signs)
                && line.replace(sign, "").is_empty()
        })
    }
}
