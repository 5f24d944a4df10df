//! Counts the statements of a conversation that a prompt contains: every sentence counts, recognised or not.

use std::collections::HashSet;

use gemicro_event::text::shortened;
use serde::{Deserialize, Serialize};

use super::facts::Finder;
use super::material::Material;
use super::{Author, PromptPlan};

/// The presence of all statements in a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct StatementReport {
    /// Sentences of the user.
    pub user: StatementCounts,
    /// Sentences of the assistant.
    pub assistant: StatementCounts,
    /// Lines of pasted material: code, logs, tool output, quotations.
    pub pasted: StatementCounts,
    /// Turns whose sentences are all in the prompt, not counting recalled ones.
    pub verbatim: Vec<TurnRange>,
    /// Turns with statements recalled for a message.
    pub recalled: Vec<TurnRange>,
    /// Sentences that are left out; `gemicro conversations show` prints them.
    pub left_out: Vec<LeftOut>,
    /// Pasted lines that are left out.
    pub pasted_left_out: Vec<LeftOut>,
}

/// Number of statements by presence in a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct StatementCounts {
    /// All statements of the conversation.
    pub total: u64,
    /// In the prompt, verbatim.
    pub verbatim: u64,
    /// In the prompt because a message may refer to them.
    pub recalled: u64,
    /// Not in the prompt.
    pub left_out: u64,
}

/// A range of consecutive turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnRange {
    /// Number of the first turn.
    pub first: u64,
    /// Number of the last turn, which is included.
    pub last: u64,
}

/// Consecutive statements that are not in the prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// The turn of the first statement.
    pub first: u64,
    /// The turn of the last statement.
    pub last: u64,
    /// Number of statements.
    pub n_statements: u64,
    /// The start of the first statement.
    pub starts: String,
}

/// Whether and how a prompt contains a statement.
#[derive(Clone, Copy, PartialEq, Eq)]
enum StatementPresence {
    Verbatim,
    Recalled,
    LeftOut,
}

impl StatementReport {
    /// Looks for every statement of the conversation in a prompt.
    pub(super) fn new(material: &Material<'_>, plan: &PromptPlan, finder: &Finder<'_>) -> Self {
        let recalled: HashSet<(u64, usize)> = plan
            .recalled
            .iter()
            .flat_map(|recalled| &recalled.statements)
            .map(|shown| (shown.turn, shown.start))
            .collect();
        let mut report = Self::default();
        let mut not_verbatim = HashSet::new();
        let mut turns = Vec::new();
        let (mut before, mut before_pasted) = (StatementPresence::Verbatim, StatementPresence::Verbatim);
        for statement in material.index.up_to(material.log.len()) {
            let text = statement.text(material.log);
            let shown = if recalled.contains(&(statement.turn, statement.range.start)) {
                StatementPresence::Recalled
            } else if finder.contains(text) {
                StatementPresence::Verbatim
            } else {
                StatementPresence::LeftOut
            };
            let counts = match (statement.is_prose, statement.author) {
                (false, _) | (_, Author::Tool) => &mut report.pasted,
                (true, Author::User | Author::System) => &mut report.user,
                (true, Author::Assistant) => &mut report.assistant,
            };
            counts.total += 1;
            match shown {
                StatementPresence::Verbatim => counts.verbatim += 1,
                StatementPresence::Recalled => counts.recalled += 1,
                StatementPresence::LeftOut => counts.left_out += 1,
            }
            if shown == StatementPresence::Recalled {
                extend(&mut report.recalled, statement.turn);
            }
            if !statement.is_prose {
                if shown == StatementPresence::LeftOut {
                    let continues = before_pasted == StatementPresence::LeftOut;
                    leave_out(&mut report.pasted_left_out, statement.turn, text, continues);
                }
                before_pasted = shown;
                continue;
            }
            turns.push(statement.turn);
            if shown != StatementPresence::Verbatim {
                not_verbatim.insert(statement.turn);
            }
            if shown == StatementPresence::LeftOut {
                leave_out(
                    &mut report.left_out,
                    statement.turn,
                    text,
                    before == StatementPresence::LeftOut,
                );
            }
            before = shown;
        }
        for turn in turns.into_iter().filter(|turn| !not_verbatim.contains(turn)) {
            extend(&mut report.verbatim, turn);
        }
        report
    }
}

/// Adds a left-out statement, to the last range if it continues that.
fn leave_out(ranges: &mut Vec<LeftOut>, turn: u64, text: &str, continues: bool) {
    const START: usize = 60;
    match ranges.last_mut().filter(|_| continues) {
        Some(range) => {
            range.last = turn;
            range.n_statements += 1;
        }
        None => ranges.push(LeftOut {
            first: turn,
            last: turn,
            n_statements: 1,
            starts: shortened(text, START),
        }),
    }
}

/// Adds a turn to the ordered ranges.
fn extend(ranges: &mut Vec<TurnRange>, turn: u64) {
    match ranges.last_mut() {
        Some(range) if turn <= range.last + 1 => range.last = turn,
        _ => ranges.push(TurnRange {
            first: turn,
            last: turn,
        }),
    }
}
