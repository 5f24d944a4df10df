//! The stack of open HTML elements: [`OpenElements`].
//!
//! It knows which text is hidden and what kind of block it belongs to. It follows the HTML rules for
//! omitted end tags where they decide how far a hidden element reaches; in doubt text stays hidden. Each
//! tag costs a bounded number of steps, however deep a hostile page is nested.

use std::collections::HashMap;

use gemicro_core::corpus::BlockKind;

use super::color::Color;
use super::hiding::{Style, hides};
use super::style_rules::StyleRules;

/// How far up the stack a tag looks.
const MAX_LOOK_UP: usize = 256;

const VOID: [&str; 14] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track",
    "wbr",
];

/// Elements that stand on their own lines. An end tag of an inline element does not reach over them.
const BLOCK_LEVEL: [&str; 56] = [
    "address",
    "article",
    "aside",
    "blockquote",
    "body",
    "button",
    "caption",
    "center",
    "col",
    "colgroup",
    "dd",
    "details",
    "dialog",
    "dir",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "header",
    "hgroup",
    "hr",
    "html",
    "legend",
    "li",
    "main",
    "menu",
    "nav",
    "object",
    "ol",
    "optgroup",
    "option",
    "p",
    "pre",
    "search",
    "section",
    "select",
    "summary",
    "table",
    "tbody",
    "td",
    "template",
    "textarea",
    "tfoot",
    "th",
    "thead",
];

/// Elements that an end tag from inside does not close.
const SCOPE: [&str; 9] = [
    "applet", "caption", "html", "table", "td", "th", "marquee", "object", "template",
];

struct OpenElement {
    name: String,
    /// Told once by the name, because end tags ask for it again and again.
    is_block: bool,
    is_scope: bool,
    /// Hidden with all that is inside.
    hidden: bool,
    /// The colours of text here.
    color: Color,
    background: Color,
    /// Replaces the colour of the text.
    fill: Option<Color>,
    /// What rules of style sheets can be for.
    keys: Vec<String>,
    kind: BlockKind,
}

/// Open elements, outermost first.
#[derive(Default)]
pub(super) struct OpenElements {
    frames: Vec<OpenElement>,
    /// What the page's style sheets say.
    rules: StyleRules,
    /// How many open elements have a name, class or id.
    open_keys: HashMap<String, usize>,
}

impl OpenElements {
    /// A page that begins. Its `<html>` and `<body>` may be left out, but have a style all the same.
    pub(super) fn new(rules: StyleRules) -> Self {
        let mut elements = Self {
            rules,
            ..Self::default()
        };
        elements.open("html", |_| None);
        elements.open("body", |_| None);
        elements
    }

    /// Whether text here is hidden from a reader.
    pub(super) fn is_hidden(&self) -> bool {
        self.frames.last().is_some_and(|frame| {
            let color = frame.fill.as_ref().unwrap_or(&frame.color);
            frame.hidden || color.is_unseen_on(&frame.background)
        })
    }

    /// Whether the innermost open element has this name.
    pub(super) fn is_inside(&self, name: &str) -> bool {
        self.frames.last().is_some_and(|frame| frame.name == name)
    }

    /// What kind of block text here belongs to.
    pub(super) fn kind(&self) -> BlockKind {
        self.frames
            .last()
            .map_or(BlockKind::Paragraph, |frame| frame.kind)
    }

    /// How many elements are open.
    pub(super) fn depth(&self) -> usize {
        self.frames.len()
    }

    /// Closes what was opened after the stack had this depth.
    pub(super) fn truncate(&mut self, depth: usize) {
        for key in self.frames.drain(depth..).flat_map(|frame| frame.keys) {
            match self.open_keys.get_mut(&key) {
                Some(n_open) if *n_open > 1 => *n_open -= 1,
                _ => drop(self.open_keys.remove(&key)),
            }
        }
    }

    pub(super) fn open<'a>(&mut self, name: &str, attribute: impl Fn(&str) -> Option<&'a str>) {
        self.close_implied(name);
        if VOID.contains(&name) {
            return;
        }
        let keys = self.rules.keys_of(name, &attribute);
        let mut style = self.rules.style_of(&keys, &self.open_keys);
        style.add(&Style::of_attributes(name, &attribute, &self.rules.variables));
        let outer = self.frames.last();
        let hidden = outer.is_some_and(|frame| frame.hidden) || style.hides || hides(name, attribute);
        let inherited = |own: Option<Color>, of: fn(&OpenElement) -> &Color, default: Color| {
            own.unwrap_or_else(|| outer.map_or(default, |frame| of(frame).clone()))
        };
        let color = inherited(style.color, |frame| &frame.color, Color::BLACK);
        let background = inherited(style.background, |frame| &frame.background, Color::WHITE);
        let fill = style.fill.or_else(|| outer.and_then(|frame| frame.fill.clone()));
        for key in &keys {
            *self.open_keys.entry(key.clone()).or_default() += 1;
        }
        let kind = kind_of(name, self.kind());
        let (is_block, is_scope) = (is_block_level(name), SCOPE.contains(&name));
        self.frames.push(OpenElement {
            name: name.to_owned(),
            is_block,
            is_scope,
            hidden,
            color,
            background,
            fill,
            keys,
            kind,
        });
    }

    pub(super) fn close(&mut self, name: &str) {
        if matches!(name, "body" | "html") {
            return;
        }
        if SCOPE.contains(&name) {
            self.pop_to(&[name], |_| false);
        } else if is_block_level(name) {
            self.pop_to(&[name], |other| other.is_scope);
        } else {
            self.pop_to(&[name], |other| other.is_block);
        }
    }

    /// Elements that a start tag ends without an end tag.
    fn close_implied(&mut self, name: &str) {
        let is = |other: &OpenElement, names: &[&str]| names.contains(&other.name.as_str());
        match name {
            "li" => self.pop_to(&["li"], |other| {
                other.is_scope || is(other, &["ul", "ol", "menu"])
            }),
            "dt" | "dd" => self.pop_to(&["dt", "dd"], |other| other.is_scope || is(other, &["dl"])),
            "td" | "th" => self.pop_to(&["td", "th"], |other| is(other, &["tr", "table", "template"])),
            "tr" => self.pop_to(&["tr"], |other| is(other, &["table", "template"])),
            "tbody" | "thead" | "tfoot" => {
                self.pop_to(&["tbody", "thead", "tfoot"], |other| {
                    is(other, &["table", "template"])
                });
            }
            "option" | "optgroup" => self.pop_to(&["option"], |other| is(other, &["select"])),
            "body" => self.pop_to(&["head"], |_| false),
            _ => {}
        }
        // A paragraph is ended by every block element; one around a button or a table stays open.
        let keeps_paragraph = ["td", "th", "tr", "option", "button", "body", "template"].contains(&name);
        if is_block_level(name) && !keeps_paragraph {
            self.pop_to(&["p"], |other| other.is_scope || is(other, &["button"]));
        }
    }

    /// Closes the innermost element of one of these names unless a boundary stands before it.
    fn pop_to(&mut self, names: &[&str], is_boundary: impl Fn(&OpenElement) -> bool) {
        for (n_above, frame) in self.frames.iter().rev().take(MAX_LOOK_UP).enumerate() {
            if names.contains(&frame.name.as_str()) {
                return self.truncate(self.frames.len() - n_above - 1);
            }
            if is_boundary(frame) {
                return;
            }
        }
    }
}

/// Whether text before and after a tag of this name belongs to different blocks. Cells do not part a row.
pub(super) fn parts_blocks(name: &str) -> bool {
    (is_block_level(name) || name == "tr" || name == "ul") && !matches!(name, "td" | "th" | "button" | "br")
}

fn is_block_level(name: &str) -> bool {
    BLOCK_LEVEL.contains(&name) || matches!(name, "tr" | "ul")
}

fn kind_of(name: &str, outer: BlockKind) -> BlockKind {
    match name {
        "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => BlockKind::Heading,
        "li" | "dt" | "dd" => BlockKind::ListItem,
        "tr" => BlockKind::TableRow,
        "pre" => BlockKind::Code,
        "p" | "blockquote" if outer != BlockKind::ListItem => BlockKind::Paragraph,
        "table" | "ul" | "ol" | "dl" => BlockKind::Paragraph,
        _ => outer,
    }
}
