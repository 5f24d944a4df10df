//! Source code: separates comments and documentation strings from the code around them.
//!
//! [`comments_of`] finds comments by the language's comment markers and recognises strings, so that a URL is not taken
//! for a comment. It does not parse the language.

use std::ops::Range;

use gemicro_core::corpus::BlockKind;

use super::ParsedText;
use super::blocks::{BlockList, lines_of};
use super::language::CommentSyntax;

/// A comment or a run of line comments that belong together.
pub(super) struct Comment {
    /// The range with its markers.
    pub(super) outer: Range<usize>,
    /// The range without the markers at its start and end.
    pub(super) inner: Range<usize>,
    /// Line comments on their own lines are joined with their neighbours.
    joins: bool,
}

pub(super) fn parse(text: String, language: CommentSyntax) -> ParsedText {
    let mut blocks = BlockList::default();
    let mut code_start = 0;
    for comment in comments_of(&text, language) {
        blocks.push(&text, BlockKind::Code, code_start..comment.outer.start);
        push_comment(&text, &comment, &mut blocks);
        code_start = comment.outer.end;
    }
    blocks.push(&text, BlockKind::Code, code_start..text.len());
    ParsedText {
        blocks: blocks.finish(),
        title: None,
        date: None,
        text,
    }
}

/// Adds the paragraphs of a comment, which are separated by empty comment lines.
pub(super) fn push_comment(text: &str, comment: &Comment, blocks: &mut BlockList) {
    let mut paragraph: Option<Range<usize>> = None;
    for line in lines_of(text, comment.inner.clone()) {
        let words = without_marks(text, line);
        if words.is_empty() {
            if let Some(done) = paragraph.take() {
                blocks.push(text, BlockKind::Comment, done);
            }
            continue;
        }
        let start = paragraph.as_ref().map_or(words.start, |range| range.start);
        paragraph = Some(start..words.end);
    }
    if let Some(done) = paragraph {
        blocks.push(text, BlockKind::Comment, done);
    }
}

/// A comment line without indentation and markers; empty if nothing else is on it.
fn without_marks(text: &str, line: Range<usize>) -> Range<usize> {
    let content = text[line.clone()].trim_end();
    let marks = |c: char| c.is_whitespace() || "/!*#;-=%\"'".contains(c);
    let words = content.trim_start_matches(marks);
    let end = line.start + content.len();
    end - words.len()..end
}

/// All comments in reading order; adjacent line comments are one.
pub(super) fn comments_of(text: &str, language: CommentSyntax) -> Vec<Comment> {
    let mut comments: Vec<Comment> = Vec::new();
    let mut scan = Scan {
        text,
        bytes: text.as_bytes(),
        language,
        at: 0,
        unclosed: (0, 0),
    };
    while let Some(comment) = scan.next_comment() {
        if let Some(last) = comments.last_mut() {
            let between = &text[last.outer.end..comment.outer.start];
            let touching = between.trim().is_empty() && between.matches('\n').count() == 1;
            if last.joins && comment.joins && touching {
                last.outer.end = comment.outer.end;
                last.inner.end = comment.inner.end;
                continue;
            }
        }
        comments.push(comment);
    }
    comments
}

struct Scan<'a> {
    text: &'a str,
    bytes: &'a [u8],
    language: CommentSyntax,
    at: usize,
    /// A quote that is not closed on its line, and the end of that line, so that it is not searched again.
    unclosed: (u8, usize),
}

impl Scan<'_> {
    fn next_comment(&mut self) -> Option<Comment> {
        while self.at < self.bytes.len() {
            let found = self
                .doc_string()
                .or_else(|| self.block_comment())
                .or_else(|| self.line_comment());
            if let Some(comment) = found {
                self.at = comment.outer.end;
                return Some(comment);
            }
            self.at += self.string_len().unwrap_or(1);
        }
        None
    }

    fn starts_with(&self, mark: &str) -> bool {
        self.bytes[self.at..].starts_with(mark.as_bytes())
    }

    /// The next position of `mark` at or after `from`.
    fn find(&self, from: usize, mark: &str) -> Option<usize> {
        self.text.get(from..)?.find(mark).map(|offset| from + offset)
    }

    /// Whether only white space precedes this position on its line.
    fn begins_line(&self, at: usize) -> bool {
        let mut before = self.bytes[..at].iter().rev();
        before
            .find(|byte| **byte == b'\n' || !byte.is_ascii_whitespace())
            .is_none_or(|byte| *byte == b'\n')
    }

    /// A string in triple quotes at the start of a statement is documentation; elsewhere it is skipped.
    fn doc_string(&mut self) -> Option<Comment> {
        if self.language != CommentSyntax::Python {
            return None;
        }
        let mark = ["\"\"\"", "'''"]
            .into_iter()
            .find(|mark| self.starts_with(mark))?;
        let inner_start = self.at + mark.len();
        let inner_end = self.find(inner_start, mark).unwrap_or(self.bytes.len());
        let outer = self.at..(inner_end + mark.len()).min(self.bytes.len());
        let has_prefix = self.at > 0 && matches!(self.bytes[self.at - 1], b'r' | b'R' | b'u' | b'U');
        if self.begins_line(self.at - usize::from(has_prefix)) {
            return Some(Comment {
                outer,
                inner: inner_start..inner_end,
                joins: false,
            });
        }
        self.at = outer.end;
        None
    }

    fn block_comment(&self) -> Option<Comment> {
        let (open, close) = self.language.block_marks()?;
        if !self.starts_with(open) {
            return None;
        }
        let inner_start = self.at + open.len();
        let inner_end = self.find(inner_start, close).unwrap_or(self.bytes.len());
        let outer_end = (inner_end + close.len()).min(self.bytes.len());
        Some(Comment {
            outer: self.at..outer_end,
            inner: inner_start..inner_end,
            joins: false,
        })
    }

    fn line_comment(&self) -> Option<Comment> {
        let mark = self
            .language
            .line_marks()
            .iter()
            .find(|mark| self.starts_with(mark))?;
        let after_space = self.at == 0 || self.bytes[self.at - 1].is_ascii_whitespace();
        if self.language.mark_needs_space() && !after_space {
            return None;
        }
        // `http://` outside a string: in a shell-like line of another language.
        if *mark == "//" && self.at > 0 && self.bytes[self.at - 1] == b':' {
            return None;
        }
        let end = self.find(self.at, "\n").unwrap_or(self.bytes.len());
        let joins = self.begins_line(self.at);
        Some(Comment {
            outer: self.at..end,
            inner: self.at + mark.len()..end,
            joins,
        })
    }

    /// Length of the string that starts here and ends on the same line.
    fn string_len(&mut self) -> Option<usize> {
        let quote = *self.bytes.get(self.at)?;
        let (unclosed, line_end) = self.unclosed;
        if !self.language.quotes().contains(&quote) || (quote == unclosed && self.at < line_end) {
            return None;
        }
        let mut at = self.at + 1;
        while let Some(byte) = self.bytes.get(at) {
            match *byte {
                b'\n' => break,
                b'\\' => at += 2,
                byte if byte == quote => return Some(at + 1 - self.at),
                _ => at += 1,
            }
        }
        self.unclosed = (quote, at);
        None
    }
}
