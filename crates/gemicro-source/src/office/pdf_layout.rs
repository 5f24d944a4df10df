//! Turns the glyphs of a PDF page into lines and blocks: [`PageLines`].
//!
//! A PDF has glyphs at positions, but no words, lines or paragraphs. Glyphs are read in the order in which they are
//! drawn, which is the reading order in nearly all programs, even in columns. Gaps and sizes give the rest.

use std::collections::HashMap;

use gemicro_core::corpus::BlockKind;
use pdf_extract::{MediaBox, OutputDev, OutputError, Transform};

/// Gaps between glyphs relative to the font size: a space between words, and between two columns of a table.
const BLANK: f64 = 0.15;
const COLUMN: f64 = 1.0;
/// Distance between lines, relative to the font size, above which a new paragraph begins.
const LEADING: f64 = 1.7;
/// Minimum size of a heading relative to that of the text.
const HEADING: f64 = 1.12;
const MAX_HEADING_CHARS: usize = 200;

/// Lines of a page in the order in which they are drawn.
#[derive(Default)]
pub(super) struct PageLines {
    lines: Vec<PageLine>,
}

struct PageLine {
    text: String,
    start: f64,
    /// Where the last glyph ends.
    end: f64,
    y: f64,
    size: f64,
}

/// A paragraph, a heading, a list item or a row.
pub(super) struct PageBlock {
    pub(super) kind: BlockKind,
    pub(super) level: usize,
    pub(super) text: String,
}

impl PageBlock {
    /// Whether a sentence is cut off at the end of one block and continues in the other.
    pub(super) fn goes_on_in(&self, next: &Self) -> bool {
        let are_text = self.kind == BlockKind::Paragraph && next.kind == BlockKind::Paragraph;
        let last = self.text.trim_end().chars().next_back();
        let first = next.text.trim_start().chars().next();
        let is_open = last.is_some_and(|c| c.is_alphanumeric() || matches!(c, ',' | '-' | ';' | '–'));
        are_text && is_open && first.is_some_and(char::is_lowercase)
    }

    /// Appends a line; a word hyphenated at the line end is joined.
    pub(super) fn append(&mut self, line: &str) {
        let mut before = self.text.chars().rev();
        let is_parted = before.next() == Some('-') && before.next().is_some_and(char::is_lowercase);
        if is_parted && line.starts_with(char::is_lowercase) {
            self.text.pop();
        } else {
            self.text.push('\n');
        }
        self.text.push_str(line);
    }
}

impl OutputDev for PageLines {
    fn begin_page(
        &mut self,
        _number: u32,
        _media_box: &MediaBox,
        _art_box: Option<(f64, f64, f64, f64)>,
    ) -> Result<(), OutputError> {
        Ok(())
    }

    fn end_page(&mut self) -> Result<(), OutputError> {
        Ok(())
    }

    fn output_character(
        &mut self,
        place: &Transform,
        width: f64,
        _spacing: f64,
        font_size: f64,
        text: &str,
    ) -> Result<(), OutputError> {
        let size = place.m21.hypot(place.m22) * font_size.abs();
        let n_wide = place.m11.hypot(place.m12) * font_size.abs() * width;
        if size.is_finite() && n_wide.is_finite() && size > 0.0 {
            self.glyph(text, (place.m31, place.m32), n_wide, size);
        }
        Ok(())
    }

    fn begin_word(&mut self) -> Result<(), OutputError> {
        Ok(())
    }

    fn end_word(&mut self) -> Result<(), OutputError> {
        Ok(())
    }

    fn end_line(&mut self) -> Result<(), OutputError> {
        Ok(())
    }
}

impl PageLines {
    pub(super) fn is_empty(&self) -> bool {
        self.lines.iter().all(|line| line.text.trim().is_empty())
    }

    fn glyph(&mut self, text: &str, (x, y): (f64, f64), width: f64, size: f64) {
        let text = letters(text);
        if text.is_empty() {
            return;
        }
        if let Some(line) = self.lines.last_mut()
            && (y - line.y).abs() < line.size.max(size) * 0.5
            && x > line.end - size
        {
            let gap = (x - line.end) / line.size.min(size);
            let is_blank = line.text.ends_with(char::is_whitespace) || text.starts_with(char::is_whitespace);
            if gap > COLUMN && !line.text.trim().is_empty() {
                line.text.truncate(line.text.trim_end().len());
                line.text.push('\t');
            } else if gap > BLANK && !is_blank {
                line.text.push(' ');
            }
            line.text.push_str(&text);
            line.end = x + width;
            line.size = line.size.max(size);
            return;
        }
        self.lines.push(PageLine {
            text,
            start: x,
            end: x + width,
            y,
            size,
        });
    }

    /// The blocks of the page, for text of this size.
    pub(super) fn blocks(mut self, body: f64) -> Vec<PageBlock> {
        self.lines.retain(|line| !line.text.trim().is_empty());
        let mut blocks: Vec<PageBlock> = Vec::new();
        let mut widest = 0.0f64;
        for (idx, line) in self.lines.iter().enumerate() {
            let previous = idx.checked_sub(1).map(|idx| &self.lines[idx]);
            let neighbours = [previous, self.lines.get(idx + 1)];
            let block = line.block(body, neighbours.into_iter().flatten());
            if let (Some(open), Some(previous)) = (blocks.last_mut(), previous)
                && previous.is_followed_by(line, open, &block, widest)
            {
                open.append(&block.text);
            } else {
                blocks.push(block);
                widest = 0.0;
            }
            widest = widest.max(line.end);
        }
        blocks
    }
}

impl PageLine {
    fn block<'a>(&self, body: f64, mut neighbours: impl Iterator<Item = &'a Self>) -> PageBlock {
        let text = self.text.trim();
        let is_large = self.size > body * HEADING && text.chars().count() <= MAX_HEADING_CHARS;
        let kind = if has_columns(text) && neighbours.any(|line| has_columns(&line.text)) {
            BlockKind::TableRow
        } else if is_large && text.chars().any(char::is_alphabetic) {
            BlockKind::Heading
        } else if mark_of_item(text) > 0 {
            BlockKind::ListItem
        } else {
            BlockKind::Paragraph
        };
        PageBlock {
            kind,
            level: if self.size > body * 1.5 { 1 } else { 2 },
            text: match kind {
                BlockKind::TableRow => text.to_owned(),
                _ => text.replace('\t', " "),
            },
        }
    }

    /// Whether the next line belongs to the same block.
    fn is_followed_by(&self, next: &Self, open: &PageBlock, block: &PageBlock, widest: f64) -> bool {
        let goes_on = open.goes_on_in(block);
        let down = self.y - next.y;
        let is_near = down > 0.0 && down < self.size.max(next.size) * LEADING;
        let is_same_size = (self.size - next.size).abs() < self.size * 0.1;
        let is_end = self
            .text
            .trim_end()
            .ends_with(['.', '!', '?', ':', '。', '！', '？']);
        let is_short = self.end < self.start + (widest - self.start) * 0.8;
        let is_indented = next.start > self.start + self.size * 0.8;
        match (open.kind, block.kind) {
            (BlockKind::Heading, BlockKind::Heading) => is_near && is_same_size,
            // The next column continues the sentence of this one.
            (BlockKind::Paragraph, BlockKind::Paragraph) if !is_near => goes_on && down <= 0.0,
            (BlockKind::Paragraph, BlockKind::Paragraph) => {
                is_same_size && !(is_end && (is_short || is_indented))
            }
            (BlockKind::ListItem, BlockKind::Paragraph) => is_near && is_same_size && next.start > self.start,
            (_, _) => false,
        }
    }
}

/// The most common font size.
pub(super) fn body_size(pages: &[PageLines]) -> f64 {
    let mut n_letters: HashMap<u64, usize> = HashMap::new();
    for line in pages.iter().flat_map(|page| &page.lines) {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a size is small and positive"
        )]
        let size = (line.size * 2.0).round() as u64;
        *n_letters.entry(size).or_default() += line.text.len();
    }
    let most = n_letters
        .into_iter()
        .max_by_key(|(size, n)| (*n, std::cmp::Reverse(*size)));
    #[expect(clippy::cast_precision_loss, reason = "a size is small")]
    let body = most.map_or(0.0, |(size, _)| size as f64 / 2.0);
    body
}

/// Whether a line has cells; the space after a list marker does not count.
fn has_columns(line: &str) -> bool {
    let line = line.trim();
    line[mark_of_item(line)..].trim_start().contains('\t')
}

/// Length in bytes of the list marker at the start of a line: a bullet, or a number with a dot.
fn mark_of_item(line: &str) -> usize {
    let n_bullet = line
        .chars()
        .next()
        .filter(|c| matches!(c, '•' | '◦' | '▪' | '‣' | '·' | '\u{f0b7}'))
        .map_or(0, char::len_utf8);
    let n_digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let is_number = (1..=3).contains(&n_digits)
        && line[n_digits..].starts_with(['.', ')'])
        && line[n_digits + 1..].starts_with(char::is_whitespace);
    if is_number { n_digits + 1 } else { n_bullet }
}

/// Replaces ligatures by letters, so that words are found.
fn letters(text: &str) -> String {
    let mut letters = String::with_capacity(text.len());
    for c in text.chars().filter(|c| !c.is_control()) {
        match c {
            '\u{fb00}' => letters.push_str("ff"),
            '\u{fb01}' => letters.push_str("fi"),
            '\u{fb02}' => letters.push_str("fl"),
            '\u{fb03}' => letters.push_str("ffi"),
            '\u{fb04}' => letters.push_str("ffl"),
            '\u{fb05}' | '\u{fb06}' => letters.push_str("st"),
            '\u{a0}' => letters.push(' '),
            c => letters.push(c),
        }
    }
    letters
}
