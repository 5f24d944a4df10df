//! Finds the tagged blocks of an answer: those of this step, and others, which are discarded.
//!
//! The main type is [`Blocks`]. The rules are strict for accepting a block and lenient for discarding one; fences
//! without a tag are ignored. `json` parses the content.

use std::ops::Range;

use super::nonce::Nonce;

const TAG: &str = "gemicro:";

/// The parts of an answer.
#[derive(Debug, Default)]
pub(super) struct Blocks<'a> {
    /// The blocks with our nonce, in order.
    pub(super) ours: Vec<PayloadBlock<'a>>,
    /// Whole lines outside of any tagged block.
    pub(super) outside: Vec<Range<usize>>,
}

/// A block with our nonce.
#[derive(Debug)]
pub(super) struct PayloadBlock<'a> {
    /// Content between its fences, without surrounding spaces, tabs and newlines.
    pub(super) body: &'a str,
    /// Its end in the answer.
    pub(super) end: usize,
}

/// A line that opens or closes a fence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FenceLine {
    mark: char,
    length: usize,
}

/// Finds all tagged blocks.
pub(super) fn find<'a>(text: &'a str, nonce: &Nonce) -> Blocks<'a> {
    let mut blocks = Blocks::default();
    let mut place = BlockPosition::Outside { from: 0 };
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let (start, end) = (at, at + line.len());
        at = end;
        let line = line.strip_suffix('\n').unwrap_or(line);
        let next = match BlockTag::of(line, nonce) {
            Some(BlockTag::Ours(fence)) => BlockPosition::Ours { fence, from: end },
            Some(BlockTag::Foreign(fence)) => BlockPosition::Foreign { fence },
            None if place.is_closed_by(line) => BlockPosition::Outside { from: end },
            None => continue,
        };
        place.end_at(start, text, &mut blocks);
        place = next;
    }
    place.end_at(text.len(), text, &mut blocks);
    blocks
}

/// Returns the fence that a line starts with, after spaces and tabs.
pub(super) fn fence_of(line: &str) -> Option<FenceLine> {
    let inner = line.trim_start_matches([' ', '\t']);
    let mark = inner.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = inner.len() - inner.trim_start_matches(mark).len();
    (length >= 3).then_some(FenceLine { mark, length })
}

/// The position of the scan over the lines.
enum BlockPosition {
    Outside { from: usize },
    Ours { fence: FenceLine, from: usize },
    Foreign { fence: FenceLine },
}

impl BlockPosition {
    fn is_closed_by(&self, line: &str) -> bool {
        let opened = match self {
            Self::Outside { .. } => return false,
            Self::Ours { fence, .. } | Self::Foreign { fence } => fence,
        };
        let only = line.trim_matches([' ', '\t']);
        fence_of(only).is_some_and(|fence| {
            fence.mark == opened.mark && fence.length >= opened.length && fence.length == only.len()
        })
    }

    fn end_at<'a>(&self, end: usize, text: &'a str, blocks: &mut Blocks<'a>) {
        match self {
            Self::Outside { from } => blocks.outside.push(*from..end),
            Self::Ours { from, .. } => blocks.ours.push(PayloadBlock {
                body: text[*from..end].trim_matches([' ', '\t', '\n']),
                end,
            }),
            Self::Foreign { .. } => {}
        }
    }
}

/// The kind of block that a tagged line opens.
enum BlockTag {
    Ours(FenceLine),
    Foreign(FenceLine),
}

impl BlockTag {
    fn of(line: &str, nonce: &Nonce) -> Option<Self> {
        let fence = fence_of(line)?;
        let is_tagged = line
            .as_bytes()
            .windows(TAG.len())
            .any(|bytes| bytes.eq_ignore_ascii_case(TAG.as_bytes()));
        if !is_tagged {
            return None;
        }
        let info = &line.trim_start_matches([' ', '\t'])[fence.length..];
        let is_ours = fence.mark == '`' && is_our_info(info, nonce);
        Some(if is_ours {
            Self::Ours(fence)
        } else {
            Self::Foreign(fence)
        })
    }
}

/// Returns true for spaces, `json`, spaces or tabs, the tag and nonce, spaces, and nothing else.
fn is_our_info(info: &str, nonce: &Nonce) -> bool {
    let info = info.trim_matches(' ');
    let Some((language, rest)) = info.split_at_checked(4) else {
        return false;
    };
    let tag = rest.trim_start_matches([' ', '\t']);
    language.eq_ignore_ascii_case("json")
        && tag.len() < rest.len()
        && tag.strip_prefix(TAG) == Some(nonce.as_str())
}
