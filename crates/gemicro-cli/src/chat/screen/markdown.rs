//! Markdown as styled lines: headings, lists, code, tables, emphasis.

use pulldown_cmark::{Alignment, Event, Options, Parser, Tag, TagEnd};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use super::table;
use super::theme::Theme;
use super::wrap::{self, span};
use crate::screen::text;

/// Indent of each line of code.
const CODE_INDENT: &str = "  ";

/// Lays out a text for this width.
pub(super) fn lay_out(source: &str, columns: usize, theme: Theme) -> Vec<Line<'static>> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut page = MarkdownPage {
        columns: columns.max(1),
        theme,
        lines: Vec::new(),
        inline: Vec::new(),
        styles: Vec::new(),
        blocks: Vec::new(),
        links: Vec::new(),
        code: None,
        rows: Vec::new(),
        alignments: Vec::new(),
    };
    for event in Parser::new_ext(source, options) {
        page.event(event);
    }
    page.flush();
    page.lines
}

struct MarkdownPage {
    columns: usize,
    theme: Theme,
    lines: Vec<Line<'static>>,
    /// The spans of the open paragraph.
    inline: Vec<Span<'static>>,
    styles: Vec<Style>,
    blocks: Vec<MarkdownBlock>,
    /// URLs of the open links, and where their text begins.
    links: Vec<(String, usize)>,
    code: Option<String>,
    /// The rows of the open table: cells, and the spans in them.
    rows: Vec<Vec<Vec<Span<'static>>>>,
    alignments: Vec<Alignment>,
}

/// A block around a paragraph.
enum MarkdownBlock {
    Quote,
    /// The number of its next item.
    List(Option<u64>),
    /// The marker for its first line, until that is drawn; and the indent of its lines.
    Item(Option<String>, usize),
}

impl MarkdownPage {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(words) | Event::Html(words) | Event::InlineHtml(words) => match &mut self.code {
                Some(code) => code.push_str(&words),
                None => self.say(&words, self.style()),
            },
            Event::Code(words) | Event::InlineMath(words) | Event::DisplayMath(words) => {
                self.say(&words, self.style().patch(self.theme.code()));
            }
            Event::SoftBreak => self.say(" ", self.style()),
            Event::HardBreak => self.say("\n", self.style()),
            Event::FootnoteReference(name) => self.say(&format!("[^{name}]"), self.style()),
            Event::TaskListMarker(is_done) => self.say(if is_done { "[x] " } else { "[ ] " }, self.style()),
            Event::Rule => {
                self.open();
                self.say(&"─".repeat(self.columns.min(40)), self.theme.faint());
                self.flush();
            }
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph | Tag::HtmlBlock => self.open(),
            Tag::Heading { .. } => {
                self.open();
                self.styles.push(self.theme.strong());
            }
            Tag::BlockQuote(_) => {
                self.flush();
                self.blocks.push(MarkdownBlock::Quote);
            }
            Tag::CodeBlock(_) => {
                self.open();
                self.code = Some(String::new());
            }
            Tag::List(first) => {
                self.open();
                self.blocks.push(MarkdownBlock::List(first));
            }
            Tag::Item => self.start_item(),
            Tag::Table(alignments) => {
                self.open();
                self.alignments = alignments;
            }
            Tag::TableHead | Tag::TableRow => self.rows.push(Vec::new()),
            Tag::Emphasis => self.styles.push(Style::new().add_modifier(Modifier::ITALIC)),
            Tag::Strong => self.styles.push(self.theme.strong()),
            Tag::Strikethrough => self.styles.push(Style::new().add_modifier(Modifier::CROSSED_OUT)),
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                self.links.push((dest_url.into_string(), self.inline.len()));
                self.styles.push(Style::new().add_modifier(Modifier::UNDERLINED));
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::HtmlBlock => self.flush(),
            TagEnd::Heading(_) => {
                self.flush();
                self.styles.pop();
            }
            TagEnd::BlockQuote(_) | TagEnd::List(_) => {
                self.flush();
                self.blocks.pop();
            }
            TagEnd::Item => {
                if matches!(self.blocks.last(), Some(MarkdownBlock::Item(Some(_), _)))
                    && self.inline.is_empty()
                {
                    self.say(" ", self.theme.plain());
                }
                self.flush();
                self.blocks.pop();
            }
            TagEnd::CodeBlock => {
                let code = self.code.take().unwrap_or_default();
                let room = self.room().saturating_sub(CODE_INDENT.len()).max(1);
                let mut lines = wrap::chop(&code, self.theme.code(), room);
                lines
                    .iter_mut()
                    .for_each(|line| line.spans.insert(0, Span::raw(CODE_INDENT)));
                self.put(lines);
            }
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.inline);
                if let Some(row) = self.rows.last_mut() {
                    row.push(cell);
                }
            }
            TagEnd::Table => {
                let rows = std::mem::take(&mut self.rows);
                let lines = table::lay_out(&rows, &self.alignments, self.room(), self.theme);
                self.put(lines);
            }
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => {
                self.styles.pop();
            }
            TagEnd::Link | TagEnd::Image => self.end_link(),
            _ => {}
        }
    }

    fn start_item(&mut self) {
        self.flush();
        let marker = match self.blocks.last_mut() {
            Some(MarkdownBlock::List(Some(number))) => {
                let marker = format!("{number}. ");
                *number = number.saturating_add(1);
                marker
            }
            _ => "- ".to_owned(),
        };
        let indent = text::width(&marker);
        self.blocks.push(MarkdownBlock::Item(Some(marker), indent));
    }

    /// Shows the URL, unless the link text contains it.
    fn end_link(&mut self) {
        self.styles.pop();
        let Some((address, from)) = self.links.pop() else {
            return;
        };
        let words: String = self
            .inline
            .iter()
            .skip(from)
            .map(|it| it.content.as_ref())
            .collect();
        if !address.is_empty() && words != address && address.strip_prefix("mailto:") != Some(&words) {
            self.say(&format!(" ({address})"), self.theme.faint());
        }
    }

    fn style(&self) -> Style {
        self.styles
            .iter()
            .fold(Style::new(), |all, style| all.patch(*style))
    }

    fn say(&mut self, words: &str, style: Style) {
        self.inline.push(span(words, style));
    }

    /// Begins a block, with a blank line before it except inside a list.
    fn open(&mut self) {
        self.flush();
        let is_in_item = self
            .blocks
            .iter()
            .any(|block| matches!(block, MarkdownBlock::Item(..)));
        if !self.lines.is_empty() && !is_in_item {
            self.lines.push(Line::default());
        }
    }

    fn flush(&mut self) {
        if self.inline.is_empty() {
            return;
        }
        let inline = std::mem::take(&mut self.inline);
        let lines = wrap::wrap(&inline, self.room());
        self.put(lines);
    }

    /// Width left by the surrounding blocks; at least half.
    fn room(&self) -> usize {
        let indent: usize = self.blocks.iter().map(MarkdownBlock::width).sum();
        self.columns.saturating_sub(indent).max(self.columns / 2).max(1)
    }

    fn put(&mut self, lines: Vec<Line<'static>>) {
        let most = self.columns - self.room();
        for mut line in lines {
            let prefix: String = self.blocks.iter_mut().map(MarkdownBlock::prefix).collect();
            // If blocks are nested too deeply, the outer ones are left out.
            let skipped = prefix.chars().count().saturating_sub(most);
            let prefix: String = prefix.chars().skip(skipped).collect();
            if !prefix.is_empty() {
                line.spans.insert(0, Span::styled(prefix, self.theme.faint()));
            }
            self.lines.push(line);
        }
    }
}

impl MarkdownBlock {
    fn width(&self) -> usize {
        match self {
            Self::Quote => 2,
            Self::List(_) => 0,
            Self::Item(_, indent) => *indent,
        }
    }

    fn prefix(&mut self) -> String {
        match self {
            Self::Quote => "▎ ".to_owned(),
            Self::List(_) => String::new(),
            Self::Item(marker, indent) => marker.take().unwrap_or_else(|| " ".repeat(*indent)),
        }
    }
}
