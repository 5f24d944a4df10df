//! Configuration files: comments, section names and `key = value` lines.
//!
//! TOML, YAML, JSON and INI share this: each line is read separately, no value is interpreted.

use std::ops::Range;

use gemicro_core::corpus::BlockKind;

use super::ParsedText;
use super::blocks::{BlockList, lines_of};
use super::code::{comments_of, push_comment};
use super::language::CommentSyntax;

pub(super) fn parse(text: String, language: CommentSyntax) -> ParsedText {
    let mut blocks = BlockList::default();
    let mut settings_start = 0;
    // A comment after a setting belongs to its line.
    let stands_alone = |start: usize| {
        let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
        text[line..start].trim().is_empty()
    };
    for comment in comments_of(&text, language)
        .into_iter()
        .filter(|it| stands_alone(it.outer.start))
    {
        push_settings(&text, settings_start..comment.outer.start, &mut blocks);
        push_comment(&text, &comment, &mut blocks);
        settings_start = comment.outer.end;
    }
    push_settings(&text, settings_start..text.len(), &mut blocks);
    ParsedText {
        blocks: blocks.finish(),
        title: None,
        date: None,
        text,
    }
}

/// The lines between two comments. A line without a key continues the one above it.
fn push_settings(text: &str, range: Range<usize>, blocks: &mut BlockList) {
    let mut open: Option<(BlockKind, Range<usize>)> = None;
    for line in lines_of(text, range) {
        let content = text[line.clone()].trim();
        let kind = kind_of(content);
        if let (None, Some((_, setting))) = (kind, &mut open)
            && !content.is_empty()
        {
            setting.end = line.end;
            continue;
        }
        if let Some((kind, setting)) = open.take() {
            blocks.push(text, kind, setting);
        }
        if has_words(content) {
            open = Some((kind.unwrap_or(BlockKind::KeyValue), line));
        }
    }
    if let Some((kind, setting)) = open {
        blocks.push(text, kind, setting);
    }
}

/// The kind of a line; `None` if it continues the one above.
fn kind_of(line: &str) -> Option<BlockKind> {
    if line.starts_with('[') && line.ends_with(']') && !line.contains([',', '"', ':', '{']) {
        Some(BlockKind::Heading)
    } else if line.contains(['=', ':']) {
        Some(BlockKind::KeyValue)
    } else if line.starts_with("- ") {
        Some(BlockKind::ListItem)
    } else {
        None
    }
}

fn has_words(line: &str) -> bool {
    line.chars().any(char::is_alphanumeric)
}
