//! Finds JSON objects on lines of their own in an answer, outside of tagged blocks.
//!
//! Only white space may precede and follow the object on its lines: an object inside a sentence is not an answer. The
//! work is limited: one attempt reads at most 64 KiB, and all failed attempts together 16 MiB.

use std::ops::Range;

use gemicro_event::text::first_bytes;
use serde_json::Value;

use super::blocks::fence_of;
use super::json::{self, MAX_BYTES};

/// Maximum number of bytes that failed attempts may read together.
pub(super) const MAX_FAILED_BYTES: usize = 16 * 1024 * 1024;

/// The state of a walk.
#[derive(Debug, Default)]
pub(super) struct BlockWalk {
    /// Bytes read by failed attempts.
    pub(super) n_failed_bytes: usize,
}

impl BlockWalk {
    /// Returns true if the walk ended early, so that its findings cannot be trusted.
    pub(super) fn gave_up(&self) -> bool {
        self.n_failed_bytes > MAX_FAILED_BYTES
    }
}

/// Calls `visit` for every such object in these parts of the text, in order.
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

/// Splits a part at fence lines, because no object spans one.
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
                // A parsed value is skipped as a whole, so objects inside it are not visited.
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
