//! HTML pages: the visible text, with blocks over what a reader sees.
//!
//! The stored text is what remains when tags and comments are removed, entities are resolved, and scripts
//! and style sheets are dropped. Text of hidden elements stays in it, outside of every block. Inline tags
//! leave no trace, so that a word with an emphasised letter stays one word.

use std::cell::RefCell;

use gemicro_core::corpus::BlockKind;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, CharacterTokens, EndTag, NullCharacterToken, StartTag, Tag, TagToken, Token, TokenSink,
    TokenSinkResult, Tokenizer, TokenizerOpts,
};

use super::blocks::BlockList;
use super::elements::{OpenElements, parts_blocks};
use super::style_rules::{StyleRules, is_for_print, variables_of};
use super::{ParsedText, date};

/// Bytes that are read between two looks at whether the page is still wanted.
const PIECE_BYTES: usize = 4 << 10;

/// Reads a page for as long as it is wanted.
pub(super) fn parse(source: &str, is_wanted: &dyn Fn() -> bool) -> ParsedText {
    let page = read(source, StyleRules::default(), is_wanted);
    if page.sheets.is_empty() {
        return page.finish();
    }
    // A style sheet applies to what is before it, too.
    read(source, StyleRules::of(&page.sheets), is_wanted).finish()
}

fn read(source: &str, rules: StyleRules, is_wanted: &dyn Fn() -> bool) -> PageState {
    let sink = Sink {
        state: RefCell::new(PageState {
            elements: OpenElements::new(rules),
            ..PageState::default()
        }),
    };
    let tokenizer = Tokenizer::new(sink, TokenizerOpts::default());
    let input = BufferQueue::default();
    // Pages go in piecewise: the tokenizer compares each attribute of a tag with all before it, so that one
    // long tag can take minutes, and a tendril holds at most 4 GiB.
    let mut rest = source;
    while !rest.is_empty() && is_wanted() {
        let at = rest.floor_char_boundary(rest.len().min(PIECE_BYTES));
        let (piece, after) = rest.split_at(at);
        input.push_back(StrTendril::from_slice(piece));
        // The sink never asks for a script to be run, so one call takes all that is there.
        let _ = tokenizer.feed(&input);
        rest = after;
    }
    tokenizer.end();
    tokenizer.sink.state.into_inner()
}

struct Sink {
    state: RefCell<PageState>,
}

impl TokenSink for Sink {
    type Handle = ();

    fn process_token(&self, token: Token, _line_number: u64) -> TokenSinkResult<()> {
        let mut page = self.state.borrow_mut();
        match token {
            CharacterTokens(text) => page.text(&text),
            NullCharacterToken => page.text("\0"),
            TagToken(tag) => return page.tag(&tag),
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

#[derive(Default, PartialEq, Eq)]
enum Mode {
    #[default]
    Page,
    Script,
    /// Kept as a style sheet.
    Style,
    /// The page's title as well as its text.
    Title,
}

/// The page so far.
#[derive(Default)]
struct PageState {
    text: String,
    blocks: BlockList,
    elements: OpenElements,
    mode: Mode,
    /// Start and kind of the block that is being filled.
    open_block: Option<(usize, BlockKind)>,
    sheets: Vec<String>,
    title: String,
    first_heading: Option<String>,
    date: Option<String>,
}

impl PageState {
    fn text(&mut self, text: &str) {
        match self.mode {
            Mode::Script => return,
            Mode::Style => {
                if let Some(sheet) = self.sheets.last_mut() {
                    sheet.push_str(text);
                }
                return;
            }
            Mode::Title => self.title.push_str(text),
            Mode::Page => {}
        }
        if self.elements.is_hidden() {
            self.end_block();
        } else if self.open_block.is_none() {
            self.open_block = Some((self.text.len(), self.elements.kind()));
        }
        self.text.push_str(text);
    }

    fn tag(&mut self, tag: &Tag) -> TokenSinkResult<()> {
        let name: &str = &tag.name;
        let parts = parts_blocks(name);
        if parts {
            self.end_block();
        }
        if matches!(name, "td" | "th") {
            // Cells keep their columns, also where one is empty.
            if tag.kind == StartTag {
                self.text.push('\t');
            }
        } else if parts || matches!(name, "br" | "title") {
            self.text.push('\n');
        }
        match tag.kind {
            StartTag => self.start_tag(name, tag),
            EndTag => {
                self.mode = Mode::Page;
                self.elements.close(name);
                TokenSinkResult::Continue
            }
        }
    }

    fn start_tag(&mut self, name: &str, tag: &Tag) -> TokenSinkResult<()> {
        let attribute = |wanted: &str| {
            tag.attrs
                .iter()
                .find(|attr| &*attr.name.local == wanted)
                .map(|attr| &*attr.value)
        };
        if self.date.is_none() {
            self.date = date_of(name, attribute);
        }
        if let Some(style) = attribute("style").filter(|style| style.contains("--")) {
            self.sheets.push(variables_of(style));
        }
        self.elements.open(name, attribute);
        match name {
            "script" => {
                self.mode = Mode::Script;
                TokenSinkResult::RawData(RawKind::ScriptData)
            }
            "style" => {
                self.mode = Mode::Script;
                if !attribute("media").is_some_and(is_for_print) {
                    self.mode = Mode::Style;
                    self.sheets.push(String::new());
                }
                TokenSinkResult::RawData(RawKind::Rawtext)
            }
            "title" => {
                if self.title.is_empty() {
                    self.mode = Mode::Title;
                }
                TokenSinkResult::RawData(RawKind::Rcdata)
            }
            "textarea" => TokenSinkResult::RawData(RawKind::Rcdata),
            "iframe" | "noembed" | "noframes" | "xmp" => TokenSinkResult::RawData(RawKind::Rawtext),
            _ => TokenSinkResult::Continue,
        }
    }

    fn end_block(&mut self) {
        if let Some((start, kind)) = self.open_block.take() {
            if kind == BlockKind::Heading && self.first_heading.is_none() {
                self.first_heading = Some(self.text[start..].to_owned());
            }
            self.blocks.push(&self.text, kind, start..self.text.len());
        }
    }

    fn finish(mut self) -> ParsedText {
        self.end_block();
        let title = if self.title.trim().is_empty() {
            self.first_heading
        } else {
            Some(self.title)
        };
        ParsedText {
            text: self.text,
            blocks: self.blocks.finish(),
            title,
            date: self.date,
        }
    }
}

/// A date in the page's metadata.
fn date_of<'a>(name: &str, attribute: impl Fn(&str) -> Option<&'a str>) -> Option<String> {
    match name {
        "time" => date::find(attribute("datetime")?),
        "meta" => {
            let key = attribute("name")
                .or_else(|| attribute("property"))
                .or_else(|| attribute("itemprop"))?;
            let key = key.to_ascii_lowercase();
            let known =
                key == "date" || key.ends_with(".date") || key.contains("published") || key == "pubdate";
            if known {
                date::find(attribute("content")?)
            } else {
                None
            }
        }
        _ => None,
    }
}
