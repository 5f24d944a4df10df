//! Collects blocks in reading order: [`BlockList`].
//!
//! Enforces the rules for blocks: inside the text, on character boundaries, without white space at the ends, never
//! empty and never overlapping.

use std::ops::Range;

use gemicro_core::corpus::{Block, BlockKind};

#[derive(Default)]
pub(crate) struct BlockList {
    blocks: Vec<Block>,
}

impl BlockList {
    /// Adds the trimmed range, without the part that an earlier block already covers.
    pub(crate) fn push(&mut self, text: &str, kind: BlockKind, range: Range<usize>) {
        let floor = self.blocks.last().map_or(0, |block| block.range.end);
        let start = range.start.max(floor);
        let Some(piece) = text.get(start..range.end.max(start)) else {
            return;
        };
        let lead = piece.len() - piece.trim_start().len();
        let trimmed = piece.trim();
        if !trimmed.is_empty() {
            let start = start + lead;
            self.blocks.push(Block {
                kind,
                range: start..start + trimmed.len(),
            });
        }
    }

    /// The kind of the last block.
    pub(crate) fn last_kind(&self) -> Option<BlockKind> {
        self.blocks.last().map(|block| block.kind)
    }

    /// The blocks, in reading order.
    pub(crate) fn finish(self) -> Vec<Block> {
        self.blocks
    }
}

/// Byte ranges of the lines inside a range, without their line ends.
pub(super) fn lines_of(text: &str, range: Range<usize>) -> impl Iterator<Item = Range<usize>> + '_ {
    let piece = text.get(range.clone()).unwrap_or_default();
    let mut start = range.start;
    piece.split('\n').map(move |line| {
        let line_range = start..start + line.len();
        start += line.len() + 1;
        line_range
    })
}
