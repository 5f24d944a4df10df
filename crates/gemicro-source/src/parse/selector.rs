//! Reads selectors of CSS: [`selectors_of`].
//!
//! A condition that is not evaluated here, such as `:first-child`, counts as met. One that is met only after something
//! was done, such as `:hover`, and parts of elements, such as `::before`, are not followed.

/// The key of rules for every element.
pub(super) const ANY: &str = "*";
/// Maximum number of selectors that one list stands for.
const MAX_SELECTORS: usize = 64;

/// Pseudo-classes that an untouched page does not meet for elements with text, and old names of parts of elements.
const UNMET: [&str; 18] = [
    "hover",
    "focus",
    "focus-visible",
    "focus-within",
    "active",
    "visited",
    "target",
    "checked",
    "disabled",
    "empty",
    "fullscreen",
    "open",
    "popover-open",
    "modal",
    "before",
    "after",
    "first-line",
    "first-letter",
];

/// Which elements a rule is for.
#[derive(Debug)]
pub(super) struct Selector {
    /// Names, classes, ids and attributes of the element; all elements if there are none.
    pub(super) subject: Vec<String>,
    /// Those that it must not have.
    pub(super) absent: Vec<String>,
    /// Those of the elements around it.
    pub(super) around: Vec<String>,
}

/// The selectors of a list, in lower case, that can be followed.
pub(super) fn selectors_of(list: &str) -> Vec<Selector> {
    let mut open: Vec<String> = split(list).into_iter().map(str::to_owned).collect();
    let mut selectors = Vec::new();
    while let Some(text) = open.pop() {
        match alternatives(&text) {
            Some(texts) if open.len() + texts.len() <= MAX_SELECTORS => open.extend(texts),
            Some(_) => {}
            None => selectors.extend(Selector::of(&text)),
        }
    }
    selectors
}

/// The parts of a list between commas that are in no parentheses.
fn split(list: &str) -> Vec<&str> {
    let mut depth = 0_usize;
    list.split(|c| {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    })
    .collect()
}

/// The selector with its first `:is(…)` or `:where(…)` replaced by each of its selectors.
fn alternatives(text: &str) -> Option<Vec<String>> {
    let (at, name) = [":is(", ":where("]
        .into_iter()
        .filter_map(|name| Some((text.find(name)?, name)))
        .min()?;
    let (inner, after) = in_parentheses(&text[at + name.len()..]);
    let before = &text[..at];
    Some(
        split(inner)
            .iter()
            .map(|it| format!("{before}{}{after}", it.trim()))
            .collect(),
    )
}

/// The text up to the parenthesis that closes the one before it, and what follows.
fn in_parentheses(text: &str) -> (&str, &str) {
    let mut depth = 1_usize;
    let end = text.find(|c| {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        depth == 0
    });
    match end {
        Some(end) => (&text[..end], &text[end + 1..]),
        None => (text, ""),
    }
}

/// One part of a selector, such as `p.note:not(#box)`.
#[derive(Debug, Default)]
struct Compound {
    name: Option<String>,
    /// Classes, ids and attributes.
    keys: Vec<String>,
    absent: Vec<String>,
    /// A condition counts as met.
    is_partial: bool,
}

impl Selector {
    /// Reads a selector; `None` if it is not followed.
    fn of(text: &str) -> Option<Self> {
        let mut compounds = vec![Compound::default()];
        // An element beside it is not looked for; a bare name would then be for all elements of that name.
        let mut is_beside = false;
        let mut rest = text.trim();
        while let Some(c) = rest.chars().next() {
            let after = &rest[c.len_utf8()..];
            let compound = compounds.last_mut()?;
            rest = match c {
                '.' | '#' => {
                    let (name, after) = name_of(after);
                    compound.keys.push(format!("{c}{name}"));
                    after
                }
                '[' => {
                    let (test, after) = after.split_once(']').unwrap_or((after, ""));
                    let test: String = test.split_whitespace().collect();
                    compound.keys.push(format!("[{}", test.replace('"', "")));
                    after
                }
                ':' => compound.add_pseudo(after)?,
                '*' => after,
                '&' | '>' | ' ' | '\t' | '\n' => {
                    if !compound.is_empty() {
                        compounds.push(Compound::default());
                    }
                    after
                }
                '+' | '~' => {
                    is_beside = true;
                    compounds = vec![Compound::default()];
                    after
                }
                c if c.is_alphanumeric() || matches!(c, '-' | '_') || !c.is_ascii() => {
                    let (name, after) = name_of(rest);
                    compound.name = Some(name.to_owned());
                    after
                }
                _ => return None,
            };
        }
        let subject = compounds.pop()?;
        let around: Vec<String> = compounds.iter().flat_map(Compound::all_keys).collect();
        let is_partial = subject.is_partial || compounds.iter().any(|it| it.is_partial);
        let selector = Self {
            subject: subject.all_keys(),
            absent: subject.absent,
            around,
        };
        // Nothing is left of the selector but conditions that are not evaluated.
        let is_all = selector.subject.is_empty() && selector.around.is_empty() && selector.absent.is_empty();
        let is_unknown = is_all && is_partial || is_beside && !selector.has_class();
        (!is_unknown).then_some(selector)
    }

    /// Whether it names a class, id or attribute of the element.
    pub(super) fn has_class(&self) -> bool {
        self.subject.iter().any(|key| key.starts_with(['.', '#', '[']))
    }
}

impl Compound {
    fn is_empty(&self) -> bool {
        self.name.is_none() && self.keys.is_empty() && self.absent.is_empty() && !self.is_partial
    }

    /// A name beside classes and ids is left out, as rather too much is hidden than too little. The key that few
    /// elements have comes last.
    fn all_keys(&self) -> Vec<String> {
        let is_own = |key: &String| key.starts_with(['.', '#']);
        let name = self.name.iter().filter(|_| !self.keys.iter().any(is_own));
        name.chain(&self.keys).cloned().collect()
    }

    /// Reads what follows a colon and returns the rest; `None` if the selector is not followed.
    fn add_pseudo<'t>(&mut self, text: &'t str) -> Option<&'t str> {
        let (name, after) = name_of(text);
        let (inner, rest) = match after.strip_prefix('(') {
            Some(inner) => in_parentheses(inner),
            None => ("", after),
        };
        match name {
            "" => return None,
            name if UNMET.contains(&name) || name.starts_with('-') => return None,
            "root" => self.name = Some("html".to_owned()),
            "not" => {
                let excluded: Vec<Option<String>> = split(inner).into_iter().map(single_key).collect();
                self.is_partial |= excluded.iter().any(Option::is_none);
                self.absent.extend(excluded.into_iter().flatten());
            }
            _ => self.is_partial = true,
        }
        Some(rest)
    }
}

/// The key of a selector that has only one.
fn single_key(text: &str) -> Option<String> {
    let selector = Selector::of(text)?;
    let [key] = selector.subject.as_slice() else {
        return None;
    };
    (selector.absent.is_empty() && selector.around.is_empty() && !text.contains(':')).then(|| key.clone())
}

fn name_of(text: &str) -> (&str, &str) {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_') || !c.is_ascii();
    text.split_at(text.find(|c| !is_name(c)).unwrap_or(text.len()))
}

/// A condition on an attribute.
#[derive(Debug)]
pub(super) struct AttributeTest {
    pub(super) name: String,
    /// The sign before `=`, or `=` itself; `None` if the attribute only has to be there.
    sign: Option<char>,
    value: String,
}

impl AttributeTest {
    /// The test of a key such as `[data-x^=a`.
    pub(super) fn of(key: &str) -> Option<Self> {
        let test = key.strip_prefix('[')?;
        let (name, value) = test.split_once('=').unwrap_or((test, ""));
        let sign = name.chars().next_back().filter(|sign| "~|^$*".contains(*sign));
        Some(Self {
            name: name.trim_end_matches(['~', '|', '^', '$', '*']).to_owned(),
            // A value that is not known fits all.
            sign: (!value.is_empty()).then_some(sign.unwrap_or('=')),
            value: value.to_owned(),
        })
    }

    pub(super) fn is_met(&self, found: &str) -> bool {
        let found = found.to_ascii_lowercase();
        let value = self.value.as_str();
        match self.sign {
            None => true,
            Some('~') => found.split_whitespace().any(|word| word == value),
            Some('|') => found == value || found.strip_prefix(value).is_some_and(|it| it.starts_with('-')),
            Some('^') => found.starts_with(value),
            Some('$') => found.ends_with(value),
            Some('*') => found.contains(value),
            Some(_) => found == value,
        }
    }
}
