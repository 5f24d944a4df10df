//! The visible text of an HTML page: everything but tags, comments, scripts and styles.

use std::cell::{Cell, RefCell};

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, StartTag, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};

/// Elements that begin and end a line.
const BLOCKS: &[&str] = &[
    "p", "div", "h1", "h2", "h3", "li", "tr", "td", "th", "br", "footer", "title", "body", "section",
    "table", "ul", "ol",
];

pub(crate) fn visible(page: &str) -> String {
    let input = BufferQueue::default();
    input.push_back(StrTendril::from_slice(page));
    let tokenizer = Tokenizer::new(VisibleText::default(), TokenizerOpts::default());
    // It stops early only for scripts to run, and the sink requests none.
    let _ = tokenizer.feed(&input);
    tokenizer.end();
    tokenizer.sink.text.into_inner()
}

#[derive(Default)]
struct VisibleText {
    text: RefCell<String>,
    /// Whether we are inside a script or style sheet.
    is_silent: Cell<bool>,
}

impl TokenSink for VisibleText {
    type Handle = ();

    fn process_token(&self, token: Token, _line_number: u64) -> TokenSinkResult<()> {
        let mut text = self.text.borrow_mut();
        match token {
            Token::CharacterTokens(characters) if !self.is_silent.get() => text.push_str(&characters),
            Token::TagToken(tag) => {
                if BLOCKS.contains(&&*tag.name) {
                    text.push('\n');
                }
                let raw = match &*tag.name {
                    "script" => Some(RawKind::ScriptData),
                    "style" => Some(RawKind::Rawtext),
                    _ => None,
                };
                let raw = raw.filter(|_| tag.kind == StartTag);
                self.is_silent.set(raw.is_some());
                return raw.map_or(TokenSinkResult::Continue, TokenSinkResult::RawData);
            }
            _ => {}
        }
        TokenSinkResult::Continue
    }
}
