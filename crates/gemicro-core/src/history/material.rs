//! The input of a compaction.

use std::sync::Arc;

use super::statements::StatementIndex;
use super::{ConversationLog, FactLedger, HistoryConfig, Turn, TurnKind};
use crate::tokens::TokenCount;

/// A log with its facts, statements and token counts.
#[derive(Clone, Copy)]
pub struct Material<'a> {
    /// The conversation, turn by turn.
    pub log: &'a ConversationLog,
    /// Names, numbers and decisions in the turns.
    pub ledger: &'a FactLedger,
    /// The sentences and lines of the turns.
    pub index: &'a StatementIndex,
    /// Tokens of every turn when shown whole, including its frame.
    pub costs: &'a [u64],
    /// Sizes of the prompt and of its parts.
    pub config: &'a HistoryConfig,
    /// Counts the tokens of a text.
    pub counter: &'a dyn TokenCount,
}

impl std::fmt::Debug for Material<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Material")
            .field("n_turns", &self.log.len())
            .field("config", self.config)
            .finish_non_exhaustive()
    }
}

impl Material<'_> {
    /// Tokens of a turn when shown whole.
    #[must_use]
    pub fn whole(&self, number: u64) -> u64 {
        let idx = usize::try_from(number.saturating_sub(1)).unwrap_or(usize::MAX);
        self.costs.get(idx).copied().unwrap_or(0)
    }

    /// Whether the user pinned this turn: it is in every prompt.
    #[must_use]
    pub(super) fn is_pin(&self, number: u64) -> bool {
        self.log
            .turn(number)
            .is_some_and(|turn| turn.kind == TurnKind::Pin)
    }

    /// Tokens of all turns together.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.costs.iter().sum()
    }
}

/// A log together with its facts, statements and token counts, kept up to date.
pub(super) struct Record {
    pub(super) log: ConversationLog,
    pub(super) ledger: FactLedger,
    pub(super) index: StatementIndex,
    pub(super) costs: Vec<u64>,
    pub(super) config: HistoryConfig,
    pub(super) counter: Arc<dyn TokenCount>,
}

impl Record {
    pub(super) fn new(config: HistoryConfig, counter: Arc<dyn TokenCount>) -> Self {
        Self {
            log: ConversationLog::new(),
            ledger: FactLedger::new(),
            index: StatementIndex::default(),
            costs: Vec::new(),
            config,
            counter,
        }
    }

    pub(super) fn material(&self) -> Material<'_> {
        Material {
            log: &self.log,
            ledger: &self.ledger,
            index: &self.index,
            costs: &self.costs,
            config: &self.config,
            counter: self.counter.as_ref(),
        }
    }

    /// Adds a turn and returns its number.
    pub(super) fn add(&mut self, turn: Turn) -> u64 {
        let number = self.try_on(turn);
        if let Some(turn) = self.log.turn(number) {
            self.ledger.absorb(turn);
            self.index.absorb(turn, self.counter.as_ref());
        }
        number
    }

    /// Adds a turn that may be withdrawn, without its facts and statements. Returns its number.
    pub(super) fn try_on(&mut self, turn: Turn) -> u64 {
        let number = self.log.append(turn);
        let cost = self
            .log
            .turn(number)
            .map_or(0, |turn| whole_cost(self.counter.as_ref(), turn));
        self.costs.push(cost);
        number
    }

    /// Removes a turn added by `try_on`.
    pub(super) fn withdraw(&mut self, last_user: Option<u64>) {
        self.log.withdraw(last_user);
        self.costs.pop();
    }

    pub(super) fn recount(&mut self, counter: Arc<dyn TokenCount>) {
        let turns = self.log.turns().iter();
        self.costs = turns.map(|turn| whole_cost(counter.as_ref(), turn)).collect();
        self.index = StatementIndex::default();
        for turn in self.log.turns() {
            self.index.absorb(turn, counter.as_ref());
        }
        self.counter = counter;
    }
}

/// Tokens of a turn when shown whole. Independent of the tag, whose length is fixed.
pub(super) fn whole_cost(counter: &dyn TokenCount, turn: &Turn) -> u64 {
    let mut title = format!("{} {}", turn.number, turn.author.as_str());
    for call in &turn.calls {
        title.push_str(&serde_json::to_string(call).unwrap_or_default());
    }
    if let Some(answered) = &turn.answers {
        title.push_str(&serde_json::to_string(answered).unwrap_or_default());
    }
    // Tags, brackets and line ends of the frame: two tags of up to six tokens each.
    const FRAME: u64 = 26;
    counter.tokens(&title) + counter.tokens(&turn.text) + FRAME
}
