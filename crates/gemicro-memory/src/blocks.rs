//! Splits a memory file into blocks.
//!
//! A block is a list item with everything indented under it, a paragraph, or a heading without text; a fenced block is
//! not split. The headings above a block belong to it.

/// The start of gemicro's own comments in the file.
pub(crate) const COMMENT: &str = "<!-- gemicro:";

/// A part of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileBlock {
    /// Its first line, counted from 1.
    pub line: u64,
    /// Whether it is a heading, an item or other text.
    pub kind: FileBlockKind,
    /// The headings above it, the outermost first.
    pub headings: Vec<String>,
    /// Its text, with the mark of its list; empty for a comment of gemicro.
    pub text: String,
    /// What gemicro's comment at its end says.
    pub comment: Option<String>,
}

/// What a part of the file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileBlockKind {
    /// A heading with nothing under it.
    Heading,
    /// An item of a list.
    Item,
    /// Text that is not in a list.
    Paragraph,
}

/// Splits the text of a memory file into its blocks.
#[must_use]
pub fn blocks(text: &str) -> Vec<FileBlock> {
    let mut reading = MemoryFileReader {
        blocks: Vec::new(),
        headings: Vec::new(),
        block: None,
        fence: None,
    };
    for (number, line) in (1..).zip(text.lines()) {
        reading.line(number, line);
    }
    reading.close();
    reading.close_heading(0);
    reading.blocks
}

struct MemoryFileReader<'t> {
    blocks: Vec<FileBlock>,
    /// The headings above the current line, with their levels.
    headings: Vec<(usize, &'t str)>,
    block: Option<OpenBlock<'t>>,
    fence: Option<&'t str>,
}

struct OpenBlock<'t> {
    first_line: u64,
    kind: FileBlockKind,
    lines: Vec<&'t str>,
}

impl<'t> MemoryFileReader<'t> {
    fn line(&mut self, number: u64, line: &'t str) {
        let bare = line.trim();
        let is_indented = line.starts_with([' ', '\t']);
        let was_blank = self
            .block
            .as_ref()
            .and_then(|block| block.lines.last())
            .is_some_and(|last| last.is_empty());
        if let Some(fence) = self.fence {
            if bare.starts_with(fence) {
                self.fence = None;
            }
            return self.continue_block(number, line);
        }
        let fence = ["```", "~~~"].into_iter().find(|fence| bare.starts_with(fence));
        let in_item = self
            .block
            .as_ref()
            .is_some_and(|block| block.kind == FileBlockKind::Item);
        if bare.is_empty() {
            // An item may continue, indented, after a blank line.
            match in_item {
                true => self.continue_block(number, ""),
                false => self.close(),
            }
        } else if let Some((level, words)) = heading(line) {
            self.close();
            self.close_heading(level);
            self.headings.retain(|(above, _)| *above < level);
            self.headings.push((level, words));
            self.begin(number, FileBlockKind::Heading, words);
        } else if !is_indented && is_item(line) {
            self.close();
            self.begin(number, FileBlockKind::Item, line);
        } else {
            if was_blank && !is_indented {
                self.close();
            }
            self.continue_block(number, line);
        }
        if !bare.is_empty() {
            self.fence = fence;
        }
    }

    fn begin(&mut self, number: u64, kind: FileBlockKind, line: &'t str) {
        self.block = Some(OpenBlock {
            first_line: number,
            kind,
            lines: vec![line],
        });
    }

    /// Adds a line to the block; a heading with text under it is not an entry itself.
    fn continue_block(&mut self, number: u64, line: &'t str) {
        match &mut self.block {
            Some(block) if block.kind != FileBlockKind::Heading => block.lines.push(line),
            _ => self.begin(number, FileBlockKind::Paragraph, line),
        }
    }

    /// Ends an item or a paragraph.
    fn close(&mut self) {
        if let Some(block) = self.block.take_if(|block| block.kind != FileBlockKind::Heading) {
            self.keep(&block, self.headings.len());
        }
    }

    /// Ends a heading that is followed only by a heading of this level.
    fn close_heading(&mut self, level: usize) {
        let last = self.headings.last().map_or(0, |(level, _)| *level);
        if let Some(block) = self.block.take()
            && last >= level
        {
            self.keep(&block, self.headings.len().saturating_sub(1));
        }
    }

    fn keep(&mut self, block: &OpenBlock<'t>, n_above: usize) {
        let headings = self.headings[..n_above]
            .iter()
            .map(|(_, words)| (*words).to_owned());
        let text = block.lines.join("\n").trim_end().to_owned();
        let (text, comment) = match text.rsplit_once(COMMENT) {
            Some((before, after)) if after.ends_with("-->") => {
                let comment = after.trim_end_matches("-->").trim().to_owned();
                (before.trim_end().to_owned(), Some(comment))
            }
            Some(_) | None => (text, None),
        };
        self.blocks.push(FileBlock {
            line: block.first_line,
            kind: block.kind,
            headings: headings.collect(),
            text,
            comment,
        });
    }
}

/// The level and the text of a heading.
fn heading(line: &str) -> Option<(usize, &str)> {
    let rest = line.trim_start_matches('#');
    let level = line.len() - rest.len();
    let is_heading = (1..=6).contains(&level) && rest.starts_with([' ', '\t']);
    is_heading.then(|| (level, rest.trim().trim_end_matches('#').trim_end()))
}

/// Whether a list item begins here: `-`, `*`, `+`, `1.` or `1)`.
pub(crate) fn is_item(line: &str) -> bool {
    item_text(line).is_some()
}

/// The text after the mark of a list item.
pub(crate) fn item_text(line: &str) -> Option<&str> {
    let marked = match line.strip_prefix(['-', '*', '+']) {
        Some(rest) => Some(rest),
        None => {
            let rest = line.trim_start_matches(|char: char| char.is_ascii_digit());
            let n_digits = line.len() - rest.len();
            (1..=9)
                .contains(&n_digits)
                .then(|| rest.strip_prefix(['.', ')']))
                .flatten()
        }
    };
    marked.filter(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
}
