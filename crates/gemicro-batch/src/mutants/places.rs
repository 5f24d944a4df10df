//! Which tokens are code that is carried out, rather than declarations, types, patterns and attributes.

use super::code::Groups;
use super::syntax::Syntax;
use super::tokens::{Token, TokenKind};

/// What stands between braces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Body {
    Statements,
    Declarations,
}

/// For each token whether it belongs to statements or expressions of a function.
pub(super) fn carried_out(syntax: Syntax, source: &str, tokens: &[Token], groups: &Groups) -> Vec<bool> {
    let mut walk = Walk {
        syntax,
        source,
        tokens,
        groups,
        bodies: Vec::new(),
        header_start: 0,
    };
    let mut carried_out = vec![false; tokens.len()];
    let mut idx = 0;
    while idx < tokens.len() {
        if let Some(after) = walk.passed_over(idx) {
            idx = after.max(idx + 1);
            continue;
        }
        walk.step(idx);
        carried_out[idx] = walk.body() == Body::Statements;
        idx += 1;
    }
    carried_out
}

struct Walk<'s> {
    syntax: Syntax,
    source: &'s str,
    tokens: &'s [Token],
    groups: &'s Groups,
    /// The braces that are open.
    bodies: Vec<Body>,
    /// The token that the present statement or declaration begins with.
    header_start: usize,
}

impl Walk<'_> {
    fn body(&self) -> Body {
        self.bodies.last().copied().unwrap_or(Body::Declarations)
    }

    fn step(&mut self, idx: usize) {
        match self.sign(idx) {
            "{" => {
                self.bodies.push(self.opened(idx));
                self.header_start = idx + 1;
            }
            "}" => {
                self.bodies.pop();
                self.header_start = idx + 1;
            }
            ";" => self.header_start = idx + 1,
            _ => {}
        }
    }

    /// The token from which to go on, where what begins at this one is no code whatever stands around it.
    fn passed_over(&self, idx: usize) -> Option<usize> {
        match self.syntax {
            Syntax::Rust => self.passed_over_rust(idx),
            Syntax::C => self.passed_over_c(idx),
        }
    }

    fn passed_over_rust(&self, idx: usize) -> Option<usize> {
        if self.sign(idx) == "#" {
            let open = if self.sign(idx + 1) == "!" {
                idx + 2
            } else {
                idx + 1
            };
            return (self.sign(open) == "[").then(|| self.after_group(open));
        }
        match self.word(idx) {
            "macro_rules" => {
                let open = (idx..self.tokens.len().min(idx + 4)).find(|idx| self.opens(*idx))?;
                Some(self.after_group(open))
            }
            "let" => Some(self.until(idx, &["=", ";", "{"])),
            "const" | "static" if self.is_name(idx + 1) => Some(self.until(idx, &[";"])),
            "fn" | "impl" | "trait" | "struct" | "enum" | "union" | "use" | "type" | "mod"
                if idx == self.header_start || self.body() == Body::Declarations =>
            {
                Some(self.until(idx, &["{", ";"]))
            }
            _ => None,
        }
    }

    fn passed_over_c(&self, idx: usize) -> Option<usize> {
        match self.word(idx) {
            "case" => Some(self.until(idx, &[":", ";", "{"])),
            "static_assert" | "using" | "typedef" | "goto" => Some(self.until(idx, &[";"])),
            "sizeof" | "alignof" | "decltype" | "noexcept" if self.sign(idx + 1) == "(" => {
                Some(self.after_group(idx + 1))
            }
            _ => None,
        }
    }

    /// What the brace opens, by what stands before it.
    fn opened(&self, brace: usize) -> Body {
        let header = self.header_start..brace;
        let has = |word: &str| header.clone().any(|idx| self.word(idx) == word);
        let declares = match self.syntax {
            Syntax::Rust => {
                let items = ["impl", "trait", "struct", "enum", "union", "mod"];
                if has("fn") {
                    return Body::Statements;
                }
                self.body() == Body::Declarations || items.contains(&self.word(self.header_start))
            }
            Syntax::C => {
                let types = ["class", "struct", "union", "enum", "namespace"];
                let has_call = header.clone().any(|idx| self.sign(idx) == "(");
                !has_call && (self.body() == Body::Declarations || types.iter().any(|word| has(word)))
            }
        };
        if declares {
            Body::Declarations
        } else {
            Body::Statements
        }
    }

    /// The first of these signs from here on, groups being stepped over, or the end of what this stands in.
    fn until(&self, from: usize, signs: &[&str]) -> usize {
        let mut idx = from;
        while idx < self.tokens.len() {
            let sign = self.sign(idx);
            if signs.contains(&sign) || [")", "]", "}"].contains(&sign) {
                return idx;
            }
            idx = if self.opens(idx) {
                self.after_group(idx)
            } else {
                idx + 1
            };
        }
        idx
    }

    fn after_group(&self, open: usize) -> usize {
        self.groups.partner(open).map_or(open, |close| close) + 1
    }

    fn opens(&self, idx: usize) -> bool {
        ["(", "[", "{"].contains(&self.sign(idx))
    }

    fn is_name(&self, idx: usize) -> bool {
        self.tokens
            .get(idx)
            .is_some_and(|token| token.kind == TokenKind::Word)
    }

    fn sign(&self, idx: usize) -> &str {
        self.of_kind(idx, TokenKind::Sign)
    }

    fn word(&self, idx: usize) -> &str {
        self.of_kind(idx, TokenKind::Word)
    }

    fn of_kind(&self, idx: usize, kind: TokenKind) -> &str {
        match self.tokens.get(idx) {
            Some(token) if token.kind == kind => token.text(self.source),
            Some(_) | None => "",
        }
    }
}
