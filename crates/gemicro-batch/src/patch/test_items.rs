//! Which items of a Rust file only tests are built with.
//!
//! It reads tokens, not the grammar, and errs on one side: what is not plainly an item under `#[cfg(test)]` is none. It
//! does not look into macros, which may do with an attribute what they like, nor into items under attributes that it
//! does not know, for the same reason.

use std::cell::Cell;
use std::ops::Range;

use crate::mutants::{Groups, Token, TokenKind};

/// Attributes of the compiler that leave what they stand on as it is. Any other may be a macro.
const HARMLESS: &[&str] = &[
    "allow",
    "cfg",
    "deny",
    "deprecated",
    "derive",
    "doc",
    "expect",
    "forbid",
    "ignore",
    "inline",
    "must_use",
    "non_exhaustive",
    "path",
    "repr",
    "should_panic",
    "test",
    "warn",
];
/// How deep conditions of `cfg` are read.
const DEEPEST: usize = 20;

/// What belongs to tests.
pub(super) enum Tests {
    WholeFile,
    /// Bytes, in order.
    Places(Vec<Range<usize>>),
}

/// The items that only tests are built with, with their attributes.
pub(super) fn tests_of(text: &str, all: &[Token]) -> Tests {
    let code: Vec<Token> = all
        .iter()
        .copied()
        .filter(|token| token.kind != TokenKind::Comment)
        .collect();
    let groups = Groups::new(text, &code);
    let budget = Cell::new(LOOKS_PER_TOKEN * (code.len() + 1));
    Items {
        text,
        code,
        groups,
        budget,
    }
    .of_tests()
}

/// How often tokens are looked at for the ends of items, for each token there is. A file that needs more consists of
/// items without an end; the rest of it counts as code.
const LOOKS_PER_TOKEN: usize = 50;

struct Items<'t> {
    /// How many more tokens may be looked at.
    budget: Cell<usize>,
    text: &'t str,
    code: Vec<Token>,
    groups: Groups,
}

impl Items<'_> {
    fn of_tests(&self) -> Tests {
        let mut places = Vec::new();
        let mut idx = 0;
        // Whether an item can begin here, and whether nothing but inner attributes and tests came before.
        let (mut can_begin, mut is_head) = (true, true);
        while idx < self.code.len() {
            if self.is("#", idx) && self.is("!", idx + 1) && self.is("[", idx + 2) {
                if is_head && self.is_test_condition(idx + 2) {
                    return Tests::WholeFile;
                }
                idx = self.after_group(idx + 2);
                continue;
            }
            if self.is("#", idx) && self.is("[", idx + 1) {
                let attributes = self.attributes(idx);
                let end = self.item_end(attributes.end);
                match end {
                    Some(end) if can_begin && attributes.is_test => {
                        places.push(self.code[idx].start..self.code[end].end);
                        idx = end + 1;
                        continue;
                    }
                    Some(end) if !attributes.is_known => idx = end + 1,
                    Some(_) | None => idx = attributes.end,
                }
                (can_begin, is_head) = (end.is_some() && !attributes.is_known, false);
                continue;
            }
            is_head = false;
            can_begin = [";", "{", "}"].iter().any(|sign| self.is(sign, idx));
            let is_macro = self.kind(idx) == Some(TokenKind::Word) && self.is("!", idx + 1);
            idx = if is_macro {
                self.after_macro(idx)
            } else {
                self.after_token(idx)
            };
            // A macro in braces needs no `;`.
            can_begin |= is_macro && idx.checked_sub(1).is_some_and(|last| self.is("}", last));
        }
        Tests::Places(places)
    }

    /// The token after one, or after the group that it opens: items stand in braces only.
    fn after_token(&self, idx: usize) -> usize {
        if self.is("(", idx) || self.is("[", idx) {
            self.after_group(idx)
        } else {
            idx + 1
        }
    }

    /// The token after a macro that is called or defined.
    fn after_macro(&self, idx: usize) -> usize {
        let is_named = self.word(idx) == "macro_rules";
        let open = if is_named { idx + 3 } else { idx + 2 };
        if self.opens(open) {
            self.after_group(open)
        } else {
            idx + 2
        }
    }

    /// The attributes that follow each other from a token on.
    fn attributes(&self, first: usize) -> Attributes {
        let mut found = Attributes {
            end: first,
            is_test: false,
            is_known: true,
        };
        while self.is("#", found.end) && self.is("[", found.end + 1) {
            let open = found.end + 1;
            // What may be a macro and comes first would see the item before the condition is looked at.
            found.is_test |= found.is_known && self.is_test_condition(open);
            let is_plain = !self.is("::", open + 2);
            found.is_known &= is_plain && HARMLESS.contains(&self.word(open + 1));
            found.end = self.after_group(open);
        }
        found
    }

    /// Whether the attribute in these brackets is `cfg` with a condition that only holds for tests.
    fn is_test_condition(&self, open: usize) -> bool {
        let Some(close) = self.groups.partner(open) else {
            return false;
        };
        self.word(open + 1) == "cfg"
            && self.is("(", open + 2)
            && self.groups.partner(open + 2) == Some(close - 1)
            && self.implies_test(open + 3..close - 1, 0)
    }

    /// Whether a condition can only hold for tests: `test`, `all` with one such, `any` of nothing else.
    fn implies_test(&self, condition: Range<usize>, depth: usize) -> bool {
        let first = condition.start;
        if self.word(first) == "test" {
            return condition.len() == 1 || (condition.len() == 2 && self.is(",", first + 1));
        }
        let is_group = self.is("(", first + 1)
            && self.groups.partner(first + 1).is_some_and(|close| {
                close + 1 == condition.end || (close + 2 == condition.end && self.is(",", close + 1))
            });
        if !is_group || depth == DEEPEST {
            return false;
        }
        let Some(close) = self.groups.partner(first + 1) else {
            return false;
        };
        let mut parts = self.parts(first + 2..close).into_iter();
        match self.word(first) {
            "all" => parts.any(|part| self.implies_test(part, depth + 1)),
            "any" => parts.len() > 0 && parts.all(|part| self.implies_test(part, depth + 1)),
            _ => false,
        }
    }

    /// What commas divide.
    fn parts(&self, range: Range<usize>) -> Vec<Range<usize>> {
        let mut parts = Vec::new();
        let (mut start, mut idx) = (range.start, range.start);
        while idx < range.end {
            if self.is(",", idx) {
                parts.push(start..idx);
                start = idx + 1;
            }
            idx = if self.opens(idx) {
                self.after_group(idx)
            } else {
                idx + 1
            };
        }
        if start < range.end {
            parts.push(start..range.end);
        }
        parts
    }

    /// The last token of the item that begins here, if one does.
    fn item_end(&self, start: usize) -> Option<usize> {
        let mut idx = start;
        if self.word(idx) == "pub" {
            idx += 1;
            if self.is("(", idx) {
                idx = self.after_group(idx);
            }
        }
        if self.word(idx) == "macro_rules" && self.is("!", idx + 1) && self.is("{", idx + 3) {
            return self.groups.partner(idx + 3);
        }
        // Words that come before `fn` and its like; alone, before a brace, they are expressions.
        while ["unsafe", "async", "extern", "const", "default", "auto", "safe"].contains(&self.word(idx)) {
            let is_value = self.word(idx) == "const" && !self.leads_to_function(idx);
            if is_value {
                return self.named_until_semicolon(idx);
            }
            let has_name = self.kind(idx + 1) == Some(TokenKind::Text);
            idx += if has_name { 2 } else { 1 };
        }
        match self.word(idx) {
            "fn" | "mod" | "struct" | "enum" | "union" | "trait"
                if self.kind(idx + 1) == Some(TokenKind::Word) =>
            {
                self.body_end(idx + 1)
            }
            "impl" => self.body_end(idx + 1),
            "use" => self.semicolon(idx + 1),
            // `crate::name! {}` ends with its brace, and what follows is somebody else's.
            "crate" if idx > start && self.word(idx - 1) == "extern" => self.semicolon(idx + 1),
            "type" | "static" => self.named_until_semicolon(idx),
            _ => None,
        }
    }

    fn leads_to_function(&self, idx: usize) -> bool {
        ["fn", "unsafe", "async", "extern"].contains(&self.word(idx + 1))
    }

    fn named_until_semicolon(&self, idx: usize) -> Option<usize> {
        (self.kind(idx + 1) == Some(TokenKind::Word)).then(|| self.semicolon(idx + 1))?
    }

    /// The `;` that ends an item, or the brace that closes its body.
    fn body_end(&self, from: usize) -> Option<usize> {
        self.end_at(from, |idx| {
            // `<{ N }>` and `= { N }` are values, not bodies.
            let is_body = !self.is("<", idx - 1) && !self.is("=", idx - 1);
            is_body.then(|| self.groups.partner(idx)).flatten()
        })
    }

    fn semicolon(&self, from: usize) -> Option<usize> {
        self.end_at(from, |_| None)
    }

    /// The first `;`, or where a brace is the body the end of that; groups are stepped over.
    fn end_at(&self, from: usize, body_end: impl Fn(usize) -> Option<usize>) -> Option<usize> {
        let mut idx = from;
        while idx < self.code.len() {
            self.budget.set(self.budget.get().checked_sub(1)?);
            if self.is(";", idx) {
                return Some(idx);
            }
            if [")", "]", "}"].iter().any(|close| self.is(close, idx)) {
                return None;
            }
            if self.is("{", idx)
                && let Some(end) = body_end(idx)
            {
                return Some(end);
            }
            idx = if self.opens(idx) {
                self.groups.partner(idx)? + 1
            } else {
                idx + 1
            };
        }
        None
    }

    fn after_group(&self, open: usize) -> usize {
        self.groups.partner(open).unwrap_or(open) + 1
    }

    fn opens(&self, idx: usize) -> bool {
        ["(", "[", "{"].iter().any(|open| self.is(open, idx))
    }

    fn kind(&self, idx: usize) -> Option<TokenKind> {
        self.code.get(idx).map(|token| token.kind)
    }

    fn is(&self, sign: &str, idx: usize) -> bool {
        self.kind(idx) == Some(TokenKind::Sign) && self.code[idx].text(self.text) == sign
    }

    fn word(&self, idx: usize) -> &str {
        match self.code.get(idx) {
            Some(token) if token.kind == TokenKind::Word => token.text(self.text),
            Some(_) | None => "",
        }
    }
}

/// Attributes that follow each other.
struct Attributes {
    /// The token after them.
    end: usize,
    /// Whether one says that only tests are built with the item.
    is_test: bool,
    /// Whether none of them can be a macro.
    is_known: bool,
}
