//! Finds old statements that a message may refer to, for its prompt.

use std::collections::HashSet;

use super::facts::Finder;
use super::material::Material;
use super::statements::IndexedStatement;
use super::{ConversationLog, PromptPlan, RecalledStatements, ShownStatement};

/// Tokens of the frame around recalled statements.
const FRAME: u64 = 20;

/// Tokens of a line's label: a number, an author, a colon, a line end.
pub(super) const LABEL: u64 = 8;

/// Statements before message `before` that are related to it and not in `text`, the prompt so far; within `room`
/// tokens.
pub(super) fn recall(
    material: &Material<'_>,
    plan: &PromptPlan,
    text: &str,
    before: u64,
    room: u64,
) -> Option<RecalledStatements> {
    let message = material.log.turn(before)?;
    let finder = Finder::new(text);
    let mut left = room.checked_sub(FRAME)?;
    let mut seen = HashSet::new();
    let mut statements = Vec::new();
    for statement in material.index.search(&message.text, before - 1) {
        if left < LABEL * 2 {
            break;
        }
        let cost = statement.tokens + LABEL;
        if cost > left
            || plan.shows_whole(statement.turn)
            || !seen.insert(statement.hash)
            || finder.contains(statement.text(material.log))
        {
            continue;
        }
        left -= cost;
        statements.push(statement.to_shown());
    }
    statements.sort_unstable();
    (!statements.is_empty()).then_some(RecalledStatements { before, statements })
}

impl IndexedStatement {
    pub(super) fn text<'a>(&self, log: &'a ConversationLog) -> &'a str {
        let turn = log.turn(self.turn);
        turn.and_then(|turn| turn.text.get(self.range.clone()))
            .unwrap_or_default()
    }

    pub(super) fn to_shown(&self) -> ShownStatement {
        ShownStatement {
            turn: self.turn,
            start: self.range.start,
            end: self.range.end,
            is_pasted: !self.is_prose,
        }
    }
}
