//! Rules of the style sheets inside a page: [`StyleRules`].
//!
//! Followed are names, classes, ids and the elements around them, in any order; `@media print` is left out, other conditions
//! count as met: rather too much hidden than too little. Not followed are attributes, pseudo-classes, variables and sheets
//! in other files.

use std::collections::{HashMap, HashSet};

use super::hiding::Style;

/// Rules that are compared in whole for one key. Of others only the last part counts, so that a page with a
/// huge sheet is still read in time.
const MAX_RULES_PER_KEY: usize = 32;

/// What the sheets say, by the last name, class or id of each selector: `aside`, `.note`, `#box`.
#[derive(Default)]
pub(super) struct StyleRules {
    by_key: HashMap<String, KeyRules>,
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

/// Which elements a rule is for.
struct Selector {
    /// Names, classes and ids of the element.
    subject: Vec<String>,
    /// Those of the elements around it.
    around: Vec<String>,
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
        for sheet in sheets {
            rules.read_sheet(&plain_css(sheet));
        }
        rules
    }

    /// What the rules say about an element with these keys, between elements with those. The name comes first.
    pub(super) fn style_of(&self, keys: &[String], around: &HashMap<String, usize>) -> Style {
        let own: HashSet<&String> = keys.iter().collect();
        let mut style = Style::default();
        for known in keys.iter().filter_map(|key| self.by_key.get(key)) {
            style.add(&known.others);
            for rule in &known.rules {
                let selector = &rule.selector;
                if selector.subject.iter().all(|key| own.contains(key))
                    && selector.around.iter().all(|key| around.contains_key(key))
                {
                    style.add(&rule.style);
                }
            }
        }
        style
    }

    /// The names, classes and ids of an element that rules can be for; none if there are no rules.
    pub(super) fn keys_of(&self, name: &str, class: &str, id: &str) -> Vec<String> {
        if self.by_key.is_empty() {
            return Vec::new();
        }
        let classes = class.split_whitespace().map(|class| key('.', class));
        let mut keys = vec![name.to_owned()];
        keys.extend(classes);
        keys.extend((!id.is_empty()).then(|| key('#', id)));
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
        let style = Style::of(&declarations);
        if style == Style::default() {
            return;
        }
        for selector in selectors.split(',').filter_map(Selector::of) {
            let has_class = selector.subject.iter().any(|key| key.starts_with(['.', '#']));
            let Some(last) = selector.subject.last().filter(|_| has_class || !is_nested) else {
                continue;
            };
            let known = self.by_key.entry(last.clone()).or_default();
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

fn declare(open: &mut [CssBlock], piece: &str) {
    if let Some(CssBlock::Rule { declarations, .. }) = open.last_mut() {
        declarations.push_str(piece);
        declarations.push(';');
    }
}

impl Selector {
    /// Reads a selector; `None` if it has parts that are not followed.
    fn of(text: &str) -> Option<Self> {
        let text = text.replace("*.", ".").replace("*#", "#").replace('&', " ");
        // An element beside it is not looked for; a bare name would then be for all elements of that name.
        let beside = text.rfind(['+', '~']);
        let text = text[beside.map_or(0, |at| at + 1)..].replace('>', " ");
        if text.contains([':', '[', '*', '@', '(', '%', '|']) {
            return None;
        }
        let mut parts: Vec<&str> = text.split_whitespace().collect();
        let subject = keys_of_part(parts.pop()?);
        let is_bare = !subject.iter().any(|key| key.starts_with(['.', '#']));
        if beside.is_some() && is_bare {
            return None;
        }
        let around = parts.into_iter().flat_map(keys_of_part).collect();
        Some(Self { subject, around })
    }
}

/// `p.note#box` as `.note`, `#box`: a name beside them is left out, as rather too much is hidden than too little.
fn keys_of_part(part: &str) -> Vec<String> {
    let Some(start) = part.find(['.', '#']) else {
        return vec![part.to_owned()];
    };
    let mut keys: Vec<String> = Vec::new();
    for c in part[start..].chars() {
        match keys.last_mut() {
            Some(key) if !matches!(c, '.' | '#') => key.push(c),
            _ => keys.push(c.to_string()),
        }
    }
    keys
}

/// A class or id as selectors name it: in lower case, and `_` for what a selector writes with a backslash.
fn key(mark: char, name: &str) -> String {
    let plain = |c: char| if is_name(c) { c.to_ascii_lowercase() } else { '_' };
    std::iter::once(mark).chain(name.chars().map(plain)).collect()
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_') || !c.is_ascii()
}

/// CSS without comments, with empty strings and without backslashes: `\64` is `d`, and `\:` is `_`.
pub(super) fn plain_css(css: &str) -> String {
    let css = css.replace("<!--", " ").replace("-->", " ");
    let mut plain = String::with_capacity(css.len());
    let mut rest = css.as_str();
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.split_once("*/").map_or("", |(_, after)| after);
        } else if matches!(c, '"' | '\'') {
            plain.push_str("\"\"");
            rest = after_string(after, c);
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
