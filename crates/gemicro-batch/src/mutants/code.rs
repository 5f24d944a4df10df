//! A source as the mutations look at it: tokens with their neighbours, groups and lines.
//!
//! The main type is [`Code`]. It answers questions about one token at a time; what to change is decided elsewhere.

use super::places::carried_out;
use super::syntax::Syntax;
use super::tokens::{Token, TokenKind, tokens};
use super::words::is_keyword;

/// How many tokens are looked at to find where a statement begins or ends: the work stays in proportion to the text.
const LOOK: usize = 200;

/// A source and its tokens, without comments and lines for the preprocessor.
pub(super) struct Code<'s> {
    pub(super) syntax: Syntax,
    pub(super) source: &'s str,
    pub(super) tokens: Vec<Token>,
    pub(super) groups: Groups,
    carried_out: Vec<bool>,
    line_starts: Vec<usize>,
}

impl<'s> Code<'s> {
    pub(super) fn new(syntax: Syntax, source: &'s str) -> Self {
        let mut tokens = tokens(syntax, source);
        tokens.retain(|token| !matches!(token.kind, TokenKind::Comment | TokenKind::Directive));
        let groups = Groups::new(source, &tokens);
        let carried_out = carried_out(syntax, source, &tokens, &groups);
        let after_ends = source.match_indices('\n').map(|(at, _)| at + 1);
        Self {
            syntax,
            source,
            tokens,
            groups,
            carried_out,
            line_starts: std::iter::once(0).chain(after_ends).collect(),
        }
    }

    /// The text of a token; nothing where there is none.
    pub(super) fn text(&self, idx: usize) -> &'s str {
        self.tokens.get(idx).map_or("", |token| token.text(self.source))
    }

    /// The text of the token before; nothing before the first.
    pub(super) fn text_before(&self, idx: usize) -> &'s str {
        idx.checked_sub(1).map_or("", |idx| self.text(idx))
    }

    pub(super) fn kind(&self, idx: usize) -> Option<TokenKind> {
        self.tokens.get(idx).map(|token| token.kind)
    }

    /// Whether a token belongs to what a function carries out.
    pub(super) fn is_carried_out(&self, idx: usize) -> bool {
        self.carried_out.get(idx).copied().unwrap_or(false)
    }

    /// Whether a value can end with this token.
    pub(super) fn ends_operand(&self, idx: usize) -> bool {
        match self.kind(idx) {
            Some(TokenKind::Number | TokenKind::Text | TokenKind::Letter) => true,
            Some(TokenKind::Word) => !is_keyword(self.syntax, self.text(idx)),
            Some(TokenKind::Sign) => [")", "]", "?"].contains(&self.text(idx)),
            Some(TokenKind::Lifetime | TokenKind::Comment | TokenKind::Directive) | None => false,
        }
    }

    /// Whether a value can begin with this token.
    pub(super) fn begins_operand(&self, idx: usize) -> bool {
        match self.kind(idx) {
            Some(TokenKind::Number | TokenKind::Text | TokenKind::Letter) => true,
            Some(TokenKind::Word) => !is_keyword(self.syntax, self.text(idx)),
            Some(TokenKind::Sign) => ["(", "-", "!", "*", "&", "[", "::"].contains(&self.text(idx)),
            Some(TokenKind::Lifetime | TokenKind::Comment | TokenKind::Directive) | None => false,
        }
    }

    /// Whether a token stands free, white space on both sides.
    pub(super) fn stands_free(&self, idx: usize) -> bool {
        let bytes = self.source.as_bytes();
        let is_white = |at: Option<usize>| {
            at.and_then(|at| bytes.get(at))
                .is_some_and(u8::is_ascii_whitespace)
        };
        let token = self.tokens[idx];
        is_white(token.start.checked_sub(1)) && is_white(Some(token.end))
    }

    /// The tokens before this one in its statement, the nearest first, at most [`LOOK`].
    pub(super) fn before_in_statement(&self, idx: usize) -> impl Iterator<Item = usize> + '_ {
        (0..idx)
            .rev()
            .take(LOOK)
            .take_while(|idx| ![";", "{", "}"].contains(&self.text(*idx)))
    }

    /// The tokens after this one in its statement, the nearest first, at most [`LOOK`].
    pub(super) fn after_in_statement(&self, idx: usize) -> impl Iterator<Item = usize> + '_ {
        (idx + 1..self.tokens.len())
            .take(LOOK)
            .take_while(|idx| ![";", "{", "}"].contains(&self.text(*idx)))
    }

    /// The line of a byte, from 0.
    pub(super) fn line_of(&self, at: usize) -> usize {
        self.line_starts.partition_point(|start| *start <= at) - 1
    }

    /// The first byte of a line, counted from 0.
    pub(super) fn line_start(&self, line: usize) -> usize {
        self.line_starts[line]
    }
}

/// Which brackets belong together.
pub(crate) struct Groups {
    partner: Vec<Option<usize>>,
    inside: Vec<Option<usize>>,
}

impl Groups {
    /// Pairs the brackets of a source. A bracket without its like has no partner.
    pub(crate) fn new(source: &str, tokens: &[Token]) -> Self {
        let mut groups = Self {
            partner: vec![None; tokens.len()],
            inside: vec![None; tokens.len()],
        };
        let mut open: Vec<(usize, &str)> = Vec::new();
        for (idx, token) in tokens.iter().enumerate() {
            let sign = match token.kind {
                TokenKind::Sign => token.text(source),
                _ => "",
            };
            if let Some((opened, _)) = open.pop_if(|(_, close)| *close == sign) {
                groups.partner[opened] = Some(idx);
                groups.partner[idx] = Some(opened);
            }
            groups.inside[idx] = open.last().map(|(opened, _)| *opened);
            match sign {
                "(" => open.push((idx, ")")),
                "[" => open.push((idx, "]")),
                "{" => open.push((idx, "}")),
                _ => {}
            }
        }
        groups
    }

    /// The other bracket of a pair.
    pub(crate) fn partner(&self, idx: usize) -> Option<usize> {
        self.partner.get(idx).copied().flatten()
    }

    /// The innermost bracket that is open around a token.
    pub(crate) fn inside(&self, idx: usize) -> Option<usize> {
        self.inside.get(idx).copied().flatten()
    }
}
