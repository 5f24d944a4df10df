//! Walks over the JSON objects that stand alone in an answer, outside of tagged blocks.
//!
//! An object stands alone when nothing but blanks is before it and after it on its lines: a sentence about an object is
//! not an answer. The work is bounded: one attempt reads 64 KiB at most, and all failed ones together 16 MiB.

use std::ops::Range;

use gemicro_event::text::first_bytes;
use serde_json::Value;

use super::blocks::fence_of;
use super::json::{self, MAX_BYTES};

/// What failed attempts may read together.
pub(super) const MAX_FAILED_BYTES: usize = 16 * 1024 * 1024;

/// How a walk went.
#[derive(Debug, Default)]
pub(super) struct BlockWalk {
    /// What failed attempts have read.
    pub(super) n_failed_bytes: usize,
}

impl BlockWalk {
    /// Whether the walk ended early, so that nothing it found can be trusted.
    pub(super) fn gave_up(&self) -> bool {
        self.n_failed_bytes > MAX_FAILED_BYTES
    }
}

/// Gives every object that stands alone in these parts of the text to `visit`, in their order.
pub(super) fn walk(text: &str, parts: &[Range<usize>], mut visit: impl FnMut(Value)) -> BlockWalk {
    let mut walk = BlockWalk::default();
    for part in parts {
        for section in sections(&text[part.clone()]) {
            walk_section(section, &mut walk, &mut visit);
            if walk.gave_up() {
                return walk;
            }
        }
    }
    walk
}

/// The lines between fence lines: no object reaches across one.
fn sections(part: &str) -> impl Iterator<Item = &str> {
    let mut rest = part;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let mut at = 0;
        for line in rest.split_inclusive('\n') {
            if fence_of(line).is_some() {
                let section = &rest[..at];
                rest = &rest[at + line.len()..];
                return Some(section);
            }
            at += line.len();
        }
        let section = rest;
        rest = "";
        Some(section)
    })
}

fn walk_section(section: &str, walk: &mut BlockWalk, visit: &mut impl FnMut(Value)) {
    let mut rest = section;
    while !rest.is_empty() && !walk.gave_up() {
        let line_end = rest.find('\n').map_or(rest.len(), |at| at + 1);
        let inner = rest[..line_end].trim_start_matches([' ', '\t']);
        if !inner.starts_with(['{', '[']) {
            rest = &rest[line_end..];
            continue;
        }
        let from_value = &rest[line_end - inner.len()..];
        match json::read_first(first_bytes(from_value, MAX_BYTES)) {
            Ok((value, length)) => {
                // A value that was read is skipped as a whole, so nothing inside it is looked at.
                let after = &from_value[length..];
                let tail_end = after.find('\n').map_or(after.len(), |at| at + 1);
                let tail = &after[..tail_end];
                if value.is_object() && tail.trim_matches([' ', '\t', '\n']).is_empty() {
                    visit(value);
                }
                rest = &after[tail_end..];
            }
            Err(unreadable) => {
                walk.n_failed_bytes += unreadable.n_bytes_read;
                rest = &rest[line_end..];
            }
        }
    }
}
