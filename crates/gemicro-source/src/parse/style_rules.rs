//! Rules of the style sheets inside a page: [`StyleRules`].
//!
//! Evaluates names, classes, ids, attributes, the elements around them in any order (see `selector`), and variables. Ignores
//! `@media print` and style sheets in other files. Other conditions count as met: hiding too much is safer than hiding
//! too little.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::hiding::Style;
use super::selector::{ANY, AttributeTest, Selector, selectors_of};
use super::style_variables::StyleVariables;

/// Rules that are compared in whole for one key. Of others only the last part counts, so that a page with a
/// huge sheet is still read in time.
const MAX_RULES_PER_KEY: usize = 32;

/// Maximum number of tests of attributes that are followed.
const MAX_TESTS: usize = 256;

/// What the sheets say, by the last name, class or id of each selector: `aside`, `.note`, `#box`.
#[derive(Default)]
pub(super) struct StyleRules {
    by_key: HashMap<String, KeyRules>,
    /// Tests of attributes that selectors name, by their keys.
    tests: BTreeMap<String, AttributeTest>,
    /// The custom properties of the page.
    pub(super) variables: StyleVariables,
}

#[derive(Default)]
struct KeyRules {
    rules: Vec<Rule>,
    /// What the rules over the limit say.
    others: Style,
}

struct Rule {
    selector: Selector,
    style: Style,
}

/// An open `{` of a sheet.
enum CssBlock {
    /// `@media screen`: rules inside count.
    Group,
    /// `@media print`: nothing inside counts.
    Ignored,
    Rule {
        selectors: String,
        declarations: String,
        /// Inside another rule, whose selector counts as met.
        is_nested: bool,
    },
}

impl StyleRules {
    /// The rules of all sheets of a page.
    pub(super) fn of(sheets: &[String]) -> Self {
        let mut rules = Self::default();
        let sheets: Vec<String> = sheets.iter().map(|sheet| plain_css(sheet)).collect();
        sheets.iter().for_each(|sheet| rules.variables.read(sheet));
        sheets.iter().for_each(|sheet| rules.read_sheet(sheet));
        rules
    }

    /// What the rules say about an element with these keys, between elements with those. The name comes first.
    pub(super) fn style_of(&self, keys: &[String], around: &HashMap<String, usize>) -> Style {
        let own: HashSet<&String> = keys.iter().collect();
        let mut style = Style::default();
        let any = self.by_key.get(ANY).filter(|_| !keys.is_empty());
        let by_key = keys.iter().filter_map(|key| self.by_key.get(key));
        for known in any.into_iter().chain(by_key) {
            style.add(&known.others);
            for rule in &known.rules {
                let selector = &rule.selector;
                if selector.subject.iter().all(|key| own.contains(key))
                    && !selector.absent.iter().any(|key| own.contains(key))
                    && selector.around.iter().all(|key| around.contains_key(key))
                {
                    style.add(&rule.style);
                }
            }
        }
        style
    }

    /// The names, classes and ids of an element that rules can be for; none if there are no rules.
    pub(super) fn keys_of<'a>(&self, name: &str, attribute: impl Fn(&str) -> Option<&'a str>) -> Vec<String> {
        if self.by_key.is_empty() {
            return Vec::new();
        }
        let (class, id) = (
            attribute("class").unwrap_or_default(),
            attribute("id").unwrap_or_default(),
        );
        let classes = class.split_whitespace().map(|class| key('.', class));
        let mut keys = vec![name.to_owned()];
        keys.extend(classes);
        keys.extend((!id.is_empty()).then(|| key('#', id)));
        let met = self
            .tests
            .iter()
            .filter(|(_, test)| attribute(&test.name).is_some_and(|value| test.is_met(value)));
        keys.extend(met.map(|(key, _)| key.clone()));
        keys
    }

    fn read_sheet(&mut self, sheet: &str) {
        let mut open: Vec<CssBlock> = Vec::new();
        let mut start = 0;
        for (at, mark) in sheet.match_indices(['{', ';', '}']) {
            let piece = sheet[start..at].trim();
            start = at + 1;
            if mark == "{" {
                open.push(CssBlock::of(piece, open.last()));
                continue;
            }
            declare(&mut open, piece);
            if mark == "}" {
                self.end_block(open.pop());
            }
        }
        // The end of a sheet ends what is open.
        declare(&mut open, &sheet[start..]);
        while let Some(block) = open.pop() {
            self.end_block(Some(block));
        }
    }

    fn end_block(&mut self, block: Option<CssBlock>) {
        let Some(CssBlock::Rule {
            selectors,
            declarations,
            is_nested,
        }) = block
        else {
            return;
        };
        let style = Style::of(&declarations, &self.variables);
        if style == Style::default() {
            return;
        }
        for selector in selectors_of(&selectors) {
            if is_nested && !selector.has_class() {
                continue;
            }
            for key in selector
                .subject
                .iter()
                .chain(&selector.absent)
                .chain(&selector.around)
            {
                if let Some(test) = AttributeTest::of(key).filter(|_| self.tests.len() < MAX_TESTS) {
                    self.tests.insert(key.clone(), test);
                }
            }
            let last = selector.subject.last().map_or(ANY, String::as_str);
            let known = self.by_key.entry(last.to_owned()).or_default();
            if known.rules.len() < MAX_RULES_PER_KEY {
                let style = style.clone();
                known.rules.push(Rule { selector, style });
            } else {
                known.others.add(&style);
            }
        }
    }
}

impl CssBlock {
    fn of(prelude: &str, around: Option<&Self>) -> Self {
        let prelude = prelude.to_ascii_lowercase();
        let is_group = ["@media", "@supports", "@layer", "@container", "@scope"]
            .iter()
            .any(|name| prelude.starts_with(name));
        match around {
            Some(Self::Ignored) => Self::Ignored,
            _ if is_group && !is_for_print(&prelude) => Self::Group,
            _ if prelude.starts_with('@') => Self::Ignored,
            around => Self::Rule {
                selectors: prelude,
                declarations: String::new(),
                is_nested: matches!(around, Some(Self::Rule { .. })),
            },
        }
    }
}

/// Whether a list of media has only paper.
pub(super) fn is_for_print(media: &str) -> bool {
    let media = media.to_ascii_lowercase();
    media.contains("print") && !media.contains("screen") && !media.contains(',')
}

/// A sheet with the custom properties of a `style` attribute, and no rule.
pub(super) fn variables_of(style: &str) -> String {
    format!("@style{{{style}}}")
}

fn declare(open: &mut [CssBlock], piece: &str) {
    if let Some(CssBlock::Rule { declarations, .. }) = open.last_mut() {
        declarations.push_str(piece);
        declarations.push(';');
    }
}

/// A class or id as selectors name it: in lower case, and `_` for what a selector writes with a backslash.
fn key(mark: char, name: &str) -> String {
    let plain = |c: char| if is_name(c) { c.to_ascii_lowercase() } else { '_' };
    std::iter::once(mark).chain(name.chars().map(plain)).collect()
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_') || !c.is_ascii()
}

/// CSS without comments and backslashes, and with only plain words in strings: `\64` is `d`, and `\:` is `_`.
pub(super) fn plain_css(css: &str) -> String {
    let css = css.replace("<!--", " ").replace("-->", " ");
    let mut plain = String::with_capacity(css.len());
    let mut rest = css.as_str();
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.split_once("*/").map_or("", |(_, after)| after);
        } else if matches!(c, '"' | '\'') {
            rest = after_string(after, c);
            // What could be taken for something else is left out.
            let inside = &after[..after.len() - rest.len()];
            let inside = inside.strip_suffix(c).unwrap_or(inside);
            let inside = if inside.chars().all(is_name) { inside } else { "" };
            plain.extend(["\"", inside, "\""]);
        } else if c == '\\' {
            let (escaped, after) = unescape(after);
            plain.push(if is_name(escaped) { escaped } else { '_' });
            rest = after;
        } else {
            plain.push(c);
            rest = after;
        }
    }
    plain
}

/// What follows a string; an open one ends with its line.
fn after_string(text: &str, quote: char) -> &str {
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => drop(chars.next()),
            '\n' => return &text[at..],
            _ if c == quote => return &text[at + 1..],
            _ => {}
        }
    }
    ""
}

/// The character of an escape, and what follows it.
fn unescape(text: &str) -> (char, &str) {
    let n_digits = text.chars().take(6).take_while(char::is_ascii_hexdigit).count();
    match u32::from_str_radix(&text[..n_digits], 16) {
        Ok(number) => {
            let after = &text[n_digits..];
            let after = after
                .strip_prefix(|c: char| c.is_ascii_whitespace())
                .unwrap_or(after);
            (char::from_u32(number).unwrap_or('_'), after)
        }
        Err(_) => match text.chars().next() {
            Some(c) => (c, &text[c.len_utf8()..]),
            None => ('_', ""),
        },
    }
}
