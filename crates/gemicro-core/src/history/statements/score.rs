//! The only scoring function: the value of an old statement in a prompt.
//!
//! | what | points |
//! |---|---|
//! | the user said it | 3 |
//! | the assistant said it in a turn after which the user spoke, so it is not narration between tool calls | 1 |
//! | information: rarity of its eight rarest words in this conversation; repeated phrases have little | 0 to 3 |
//! | references: how many of its rare words occur again elsewhere, up to three | 0 to 1 |
//! | it contains digits: a number, a version, a ticket | 0.25 |
//! | how late it was said | 0 to 0.5 |
//! | it is a question, which later turns have answered | −1.5 |
//!
//! The score does not depend on words of any language. Sentences recognised as rules, decisions or finished work are
//! pinned before, in their own frames; the others compete for space by score. Pasted lines are not ranked: they are
//! only recalled when a message shares words with them.

use std::collections::HashSet;

use super::{IndexedStatement, StatementIndex};
use crate::history::{Author, ConversationLog};

/// A statement and its score.
#[derive(Debug, Clone, Copy)]
pub(in crate::history) struct Ranked<'a> {
    pub(in crate::history) statement: &'a IndexedStatement,
    points: f32,
}

/// The prose of user and assistant before turn `from`, the most valuable first; of equal texts only the last.
pub(in crate::history) fn rank_statements<'a>(
    index: &'a StatementIndex,
    log: &ConversationLog,
    from: u64,
) -> Vec<Ranked<'a>> {
    let mut seen = HashSet::new();
    let mut ranked: Vec<Ranked<'a>> = index
        .up_to(from.saturating_sub(1))
        .iter()
        .rev()
        .filter(|statement| statement.is_prose && seen.insert(statement.hash))
        .map(|statement| Ranked {
            statement,
            points: points(index, log, statement),
        })
        .collect();
    ranked.sort_by(|left, right| right.points.total_cmp(&left.points));
    ranked
}

fn points(index: &StatementIndex, log: &ConversationLog, statement: &IndexedStatement) -> f32 {
    const N_WORDS: usize = 8;
    let author = match statement.author {
        Author::User | Author::System => 3.0,
        Author::Assistant => match log.turn(statement.turn + 1) {
            Some(next) if next.author == Author::User => 1.0,
            _ => 0.0,
        },
        Author::Tool => 0.0,
    };
    let mut rare: Vec<f32> = Vec::new();
    let mut n_again = 0.0_f32;
    for (n_with, rarity) in index.rarities(statement) {
        rare.push(rarity);
        if (2..=8).contains(&n_with) {
            n_again += 1.0;
        }
    }
    rare.sort_unstable_by(|left, right| right.total_cmp(left));
    let information = rare.iter().take(N_WORDS).sum::<f32>() / N_WORDS as f32;
    let recency = statement.turn as f32 / log.len().max(1) as f32;
    let question = if statement.is_question { 1.5 } else { 0.0 };
    let digits = if statement.has_digit { 0.25 } else { 0.0 };
    author + 3.0 * information + n_again.min(3.0) / 3.0 + digits + 0.5 * recency - question
}
