//! A Markdown page: its code blocks and the code spans of its text.

use std::ops::Range;
use std::path::Path;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// A page that is checked.
pub(super) struct Page {
    pub(super) text: String,
    pub(super) blocks: Vec<Block>,
    /// Inline code, such as `gemicro runs`.
    pub(super) spans: Vec<String>,
}

pub(super) struct Block {
    /// What follows the opening fence, such as `console no-run`.
    pub(super) info: String,
    pub(super) text: String,
    /// Where the text is in the page.
    pub(super) range: Range<usize>,
}

/// A command of a `console` block, and the output below it.
pub(super) struct Shown {
    pub(super) command: String,
    pub(super) output: Vec<String>,
}

impl Page {
    pub(super) fn read(path: &Path) -> Self {
        Self::parse(&std::fs::read_to_string(path).unwrap())
    }

    pub(super) fn parse(text: &str) -> Self {
        let mut page = Self {
            text: text.to_owned(),
            blocks: Vec::new(),
            spans: Vec::new(),
        };
        let mut open: Option<Block> = None;
        for (event, range) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
            match (event, &mut open) {
                (Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))), _) => {
                    let text = String::new();
                    let (info, range) = (info.into_string(), range.start..range.start);
                    open = Some(Block { info, text, range });
                }
                (Event::Text(piece), Some(block)) => {
                    if block.text.is_empty() {
                        block.range.start = range.start;
                    }
                    block.range.end = range.end;
                    block.text.push_str(&piece);
                }
                (Event::End(TagEnd::CodeBlock), _) => page.blocks.extend(open.take()),
                (Event::Code(span), _) => page.spans.push(span.into_string()),
                _ => {}
            }
        }
        page
    }
}

impl Block {
    /// Whether its commands are run; `no-run` says that they cannot be.
    pub(super) fn is_run(&self) -> bool {
        self.info == "console" || self.fails()
    }

    /// Whether its gemicro commands are expected to fail.
    pub(super) fn fails(&self) -> bool {
        self.info == "console fails"
    }

    /// Its command lines, run or not.
    pub(super) fn command_lines(&self) -> Vec<&str> {
        let lines = self.text.lines();
        match self.info.split(' ').next() {
            Some("sh") => lines.collect(),
            Some("console") => lines.filter_map(|line| line.strip_prefix("$ ")).collect(),
            _ => Vec::new(),
        }
    }

    /// The commands of a `console` block with their outputs.
    pub(super) fn shown(&self) -> Vec<Shown> {
        let mut shown: Vec<Shown> = Vec::new();
        for line in self.text.lines() {
            match (line.strip_prefix("$ "), shown.last_mut()) {
                (Some(command), _) => shown.push(Shown {
                    command: command.to_owned(),
                    output: Vec::new(),
                }),
                (None, Some(last)) => last.output.push(line.to_owned()),
                (None, None) => panic!("a console block begins with `$ `, not with: {line}"),
            }
        }
        shown
    }
}
