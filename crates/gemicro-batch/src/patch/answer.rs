//! Where the diff is in an answer: between fences, or bare in the text.

use super::error::PatchError;

/// A line of the answer, without its line break.
#[derive(Debug, Clone, Copy)]
pub(super) struct AnswerLine<'a> {
    /// Its number, from 1.
    pub(super) number: usize,
    pub(super) text: &'a str,
}

/// Lines that belong to the diff, or lie around it.
#[derive(Debug)]
pub(super) struct AnswerBlock<'a> {
    /// How sure it is that every line is part of the diff.
    pub(super) kind: AnswerBlockKind,
    pub(super) lines: Vec<AnswerLine<'a>>,
}

/// Where a block of lines was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AnswerBlockKind {
    /// Between fences: all of it is meant.
    Fenced,
    /// In the text: there may be prose before and after.
    Bare,
}

/// The blocks of an answer that hold the diff: the fenced ones, or else the whole text.
pub(super) fn find_blocks(answer: &str) -> Result<Vec<AnswerBlock<'_>>, PatchError> {
    let lines: Vec<AnswerLine<'_>> = answer
        .split('\n')
        .enumerate()
        .map(|(idx, text)| AnswerLine {
            number: idx + 1,
            text: text.strip_suffix('\r').unwrap_or(text),
        })
        .collect();
    let fenced = fenced_blocks(&lines);
    let has_tagged = fenced.iter().any(|(is_tagged, _)| *is_tagged);
    if fenced.iter().any(|(_, block)| has_header(&block.lines)) {
        let is_diff = |(is_tagged, block): &(bool, AnswerBlock<'_>)| {
            has_header(&block.lines)
                || (*is_tagged && block.lines.iter().any(|line| line.text.starts_with("@@")))
        };
        return Ok(fenced
            .into_iter()
            .filter(is_diff)
            .map(|(_, block)| block)
            .collect());
    }
    if has_header(&lines) {
        let kind = AnswerBlockKind::Bare;
        return Ok(vec![AnswerBlock { kind, lines }]);
    }
    let why = if answer.trim().is_empty() {
        "it is empty"
    } else if has_tagged {
        "its diff does not name the files"
    } else {
        "there is no diff in it"
    };
    Err(PatchError::NoPatch { why })
}

/// Whether `--- old` and `+++ new` follow each other here.
pub(super) fn is_file_header(lines: &[AnswerLine<'_>], idx: usize) -> bool {
    let begins = |idx: usize, with: &str| lines.get(idx).is_some_and(|line| line.text.starts_with(with));
    begins(idx, "--- ") && begins(idx + 1, "+++ ")
}

fn has_header(lines: &[AnswerLine<'_>]) -> bool {
    (0..lines.len()).any(|idx| lines[idx].text.starts_with("diff --git ") || is_file_header(lines, idx))
}

/// The fenced blocks, each with whether it says itself that it is a diff.
fn fenced_blocks<'a>(lines: &[AnswerLine<'a>]) -> Vec<(bool, AnswerBlock<'a>)> {
    let mut blocks = Vec::new();
    let mut idx = 0;
    while idx < lines.len() {
        let Some(fence) = OpeningFence::open(lines[idx].text) else {
            idx += 1;
            continue;
        };
        let rest = &lines[idx + 1..];
        let n_lines = rest
            .iter()
            .position(|line| fence.closes(line.text))
            .unwrap_or(rest.len());
        let inside = rest[..n_lines]
            .iter()
            .map(|line| AnswerLine {
                text: line.text.strip_prefix(fence.indent).unwrap_or(line.text),
                ..*line
            })
            .collect();
        let is_tagged = ["diff", "patch", "udiff"]
            .iter()
            .any(|tag| fence.tag.eq_ignore_ascii_case(tag));
        let kind = AnswerBlockKind::Fenced;
        blocks.push((is_tagged, AnswerBlock { kind, lines: inside }));
        idx += n_lines + 2;
    }
    blocks
}

/// The line that opens a fenced block.
struct OpeningFence<'a> {
    indent: &'a str,
    signs: &'a str,
    tag: &'a str,
}

impl<'a> OpeningFence<'a> {
    fn open(line: &'a str) -> Option<Self> {
        let start = line.trim_start_matches([' ', '\t']);
        let indent = &line[..line.len() - start.len()];
        let sign = start.chars().next().filter(|sign| ['`', '~'].contains(sign))?;
        let info = start.trim_start_matches(sign);
        let signs = &start[..start.len() - info.len()];
        // A line such as ```` ```x``` ```` is code in the text.
        let is_fence = signs.len() >= 3 && !info.contains(sign);
        let tag = info.split_whitespace().next().unwrap_or_default();
        is_fence.then_some(Self { indent, signs, tag })
    }

    /// Whether a line ends the block. It must be indented as the first one: a line of the diff that stays is indented
    /// by one more and may show a fence itself.
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
