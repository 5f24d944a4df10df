//! Markdown: blocks over the text as it stands, by the offsets of pulldown-cmark.
//!
//! The stored text keeps all marks, so that a quote is found in the file. HTML comments, hidden HTML
//! elements (also around Markdown paragraphs), descriptions of images, link definitions and front matter are in no
//! block.

use std::ops::Range;

use gemicro_core::corpus::BlockKind;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::blocks::BlockList;
use super::elements::{OpenElements, parts_blocks};
use super::style_rules::{StyleRules, variables_of};
use super::tag_scan::{HtmlToken, scan_tags};
use super::{ParsedText, date};

/// How far down the end of the front matter is looked for.
const MAX_FRONT_MATTER_LINES: usize = 200;

pub(super) fn parse(text: String) -> ParsedText {
    let body_start = front_matter_end(&text);
    let front = &text[..body_start];
    let date = front_matter_value(front, "date").and_then(date::find);
    let front_title = front_matter_value(front, "title").map(str::to_owned);
    let mut options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    options |= Options::ENABLE_FOOTNOTES;
    let read = |rules: StyleRules| {
        let mut reader = Reader::new(&text, rules);
        for (event, range) in Parser::new_ext(&text[body_start..], options).into_offset_iter() {
            reader.event(event, range.start + body_start..range.end + body_start);
        }
        reader.end_block();
        reader
    };
    let mut reader = read(StyleRules::default());
    if !reader.sheets.is_empty() {
        reader = read(StyleRules::of(&reader.sheets));
    }
    let heading = reader.first_heading.map(|range| plain(&text[range]));
    let blocks = reader.blocks.finish();
    ParsedText {
        title: front_title.or(heading),
        date,
        blocks,
        text,
    }
}

struct Reader<'a> {
    text: &'a str,
    blocks: BlockList,
    /// Kinds of the Markdown containers around the present place.
    kinds: Vec<BlockKind>,
    elements: OpenElements,
    sheets: Vec<String>,
    /// Inside an HTML comment that its own piece of HTML did not close.
    in_comment: bool,
    /// Images around the present place.
    n_images: usize,
    /// Depth of the element stack when the present paragraph began.
    paragraph_depth: usize,
    open_block: Option<(BlockKind, Range<usize>)>,
    first_heading: Option<Range<usize>>,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, rules: StyleRules) -> Self {
        Self {
            text,
            blocks: BlockList::default(),
            kinds: Vec::new(),
            elements: OpenElements::new(rules),
            sheets: Vec::new(),
            in_comment: false,
            n_images: 0,
            paragraph_depth: 0,
            open_block: None,
            first_heading: None,
        }
    }

    fn event(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(&tag, range),
            Event::End(tag) => self.end(tag, &range),
            Event::Html(_) => {}
            Event::InlineHtml(_) => self.raw_html(range),
            Event::Rule => self.end_block(),
            Event::TaskListMarker(_) => {}
            Event::Text(_)
            | Event::Code(_)
            | Event::InlineMath(_)
            | Event::DisplayMath(_)
            | Event::FootnoteReference(_)
            | Event::SoftBreak
            | Event::HardBreak => self.cover(range),
        }
    }

    fn start(&mut self, tag: &Tag<'_>, range: Range<usize>) {
        let kind = match tag {
            Tag::Emphasis
            | Tag::Strong
            | Tag::Strikethrough
            | Tag::Superscript
            | Tag::Subscript
            | Tag::Link { .. } => return self.cover(range.start..range.start),
            // Its description is not shown.
            Tag::Image { .. } => {
                self.n_images += 1;
                return self.end_block();
            }
            Tag::HtmlBlock => {
                self.end_block();
                self.raw_html(range);
                return self.end_block();
            }
            Tag::Heading { .. } => Some(BlockKind::Heading),
            Tag::Item => Some(BlockKind::ListItem),
            Tag::TableHead | Tag::TableRow => Some(BlockKind::TableRow),
            Tag::CodeBlock(_) => Some(BlockKind::Code),
            Tag::FootnoteDefinition(_) => Some(BlockKind::Paragraph),
            _ => None,
        };
        // Cells belong to one row.
        if !matches!(tag, Tag::TableCell) {
            self.end_block();
        }
        if matches!(tag, Tag::Paragraph) {
            self.paragraph_depth = self.elements.depth();
        }
        self.kinds.extend(kind);
    }

    fn end(&mut self, tag: TagEnd, range: &Range<usize>) {
        match tag {
            TagEnd::Emphasis
            | TagEnd::Strong
            | TagEnd::Strikethrough
            | TagEnd::Superscript
            | TagEnd::Subscript
            | TagEnd::Link => {
                let hidden = self.is_hidden();
                if let Some((_, open)) = &mut self.open_block
                    && !hidden
                {
                    open.end = open.end.max(range.end);
                }
            }
            TagEnd::Image => self.n_images -= 1,
            TagEnd::TableCell | TagEnd::HtmlBlock => {}
            TagEnd::Heading(_)
            | TagEnd::Item
            | TagEnd::TableHead
            | TagEnd::TableRow
            | TagEnd::CodeBlock
            | TagEnd::FootnoteDefinition => {
                self.end_block();
                self.kinds.pop();
            }
            TagEnd::Paragraph => {
                self.end_block();
                // A stray `<name>` in a sentence must not reach over the rest of the document.
                let depth = self.paragraph_depth.min(self.elements.depth());
                self.elements.truncate(depth);
            }
            _ => self.end_block(),
        }
    }

    fn is_hidden(&self) -> bool {
        self.in_comment || self.n_images > 0 || self.elements.is_hidden()
    }

    /// Takes a range into the present block, or ends the block where the range is hidden.
    fn cover(&mut self, range: Range<usize>) {
        if self.is_hidden() {
            return self.end_block();
        }
        match &mut self.open_block {
            Some((_, open)) => open.end = open.end.max(range.end),
            None => {
                let markdown_kind = self.kinds.last().copied();
                let kind = markdown_kind.unwrap_or_else(|| self.elements.kind());
                self.open_block = Some((kind, range));
            }
        }
    }

    fn end_block(&mut self) {
        let Some((mut kind, range)) = self.open_block.take() else {
            return;
        };
        if kind == BlockKind::Paragraph && is_bold_line(&self.text[range.clone()]) {
            kind = BlockKind::Heading;
        }
        if kind == BlockKind::Heading && self.first_heading.is_none() {
            self.first_heading = Some(range.clone());
        }
        self.blocks.push(self.text, kind, range);
    }

    /// A piece of HTML: covers its visible text and follows what it opens and closes.
    fn raw_html(&mut self, range: Range<usize>) {
        let mut start = range.start;
        if self.in_comment {
            let Some(end) = self.text[range.clone()].find("-->") else {
                return;
            };
            self.in_comment = false;
            start += end + 3;
        }
        for (piece_range, piece) in scan_tags(&self.text[start..range.end]) {
            let place = start + piece_range.start..start + piece_range.end;
            match piece {
                HtmlToken::Text => {
                    if self.elements.is_inside("style") {
                        self.sheets.push(self.text[place.clone()].to_owned());
                    }
                    self.cover(place);
                }
                HtmlToken::Comment { closed } => {
                    self.end_block();
                    self.in_comment |= !closed;
                }
                HtmlToken::Start { name, attributes } => {
                    if parts_blocks(&name) {
                        self.end_block();
                    }
                    let attribute = |wanted: &str| {
                        let mut found = attributes.iter().filter(|(name, _)| name == wanted);
                        found.next().map(|(_, value)| *value)
                    };
                    if let Some(style) = attribute("style").filter(|style| style.contains("--")) {
                        self.sheets.push(variables_of(style));
                    }
                    self.elements.open(&name, attribute);
                    self.cover_tag(&name, place);
                }
                HtmlToken::End { name } => {
                    let was_hidden = self.is_hidden();
                    self.elements.close(&name);
                    if parts_blocks(&name) || was_hidden {
                        self.end_block();
                    } else {
                        self.cover_tag(&name, place);
                    }
                }
            }
        }
    }

    /// An inline tag inside a block stays in it; one at its start is left out.
    fn cover_tag(&mut self, name: &str, place: Range<usize>) {
        if self.is_hidden() {
            self.end_block();
        } else if !parts_blocks(name) && self.open_block.is_some() {
            self.cover(place);
        }
    }
}

/// A short paragraph in bold and nothing else is meant as a heading.
fn is_bold_line(paragraph: &str) -> bool {
    let inner = paragraph
        .strip_prefix("**")
        .and_then(|rest| rest.strip_suffix("**"));
    inner.is_some_and(|inner| {
        inner.len() <= 80
            && !inner.contains("**")
            && !inner.contains('\n')
            && !inner.ends_with(['.', '?', '!'])
    })
}

/// Where the body begins: after front matter between `---` or `+++` lines, else at 0.
fn front_matter_end(text: &str) -> usize {
    let Some(fence) = ["---", "+++"].into_iter().find(|fence| text.starts_with(fence)) else {
        return 0;
    };
    let mut at = 0;
    for (idx, line) in text
        .split_inclusive('\n')
        .take(MAX_FRONT_MATTER_LINES)
        .enumerate()
    {
        at += line.len();
        let line = line.trim_end();
        match idx {
            0 if line != fence => return 0,
            0 => {}
            1 if !line.contains([':', '=']) && !line.starts_with('#') && line != fence => return 0,
            _ if line == fence || (fence == "---" && line == "...") => return at,
            _ => {}
        }
    }
    0
}

/// The value of a top-level key in YAML or TOML front matter, without quotes.
fn front_matter_value<'a>(front: &'a str, key: &str) -> Option<&'a str> {
    front.lines().find_map(|line| {
        let (name, value) = line.split_once([':', '='])?;
        let value = value.trim().trim_matches(['"', '\'']);
        (name.trim_end() == key && !value.is_empty()).then_some(value)
    })
}

/// A heading without its inline marks.
fn plain(heading: &str) -> String {
    heading.chars().filter(|c| !matches!(c, '*' | '`')).collect()
}
