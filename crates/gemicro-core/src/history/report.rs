//! Measures what a prompt keeps of a conversation and what it has lost.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::facts::Finder;
use super::material::Material;
use super::statement_report::StatementReport;
use super::{FactClass, HistoryWarning, Level, PinnedFact, PromptPlan};

/// The report of one prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HistoryReport {
    /// Name of the compressor that made the prompt.
    pub compressor: String,
    /// How strongly the conversation was compressed.
    pub level: Level,
    /// The epoch of the prompt.
    pub epoch: u64,
    /// Number of compactions so far.
    pub n_compactions: u64,
    /// Tokens of the whole conversation.
    pub tokens_before: u64,
    /// Tokens of the prompt.
    pub tokens_after: u64,
    /// `tokens_after` divided by `tokens_before`.
    pub ratio: f64,
    /// The segments in it.
    pub segments: Vec<SegmentReport>,
    /// The facts that are written out.
    pub pinned: Vec<PinnedFact>,
    /// The facts that are nowhere in the prompt.
    pub lost: Vec<LostFact>,
    /// The prompt's share of all statements, recognised or not.
    #[serde(default)]
    pub statements: StatementReport,
    /// For each class, the number of facts in the conversation and in the prompt.
    pub retention: BTreeMap<FactClass, Retention>,
    /// The share of the previous prompt that this one starts with.
    pub prefix_kept: f64,
    /// Number of summary statements that were dropped because the turns do not support them.
    #[serde(default)]
    pub n_summary_statements_dropped: usize,
    /// Number of model calls: for this prompt, or for the conversation so far.
    pub n_model_calls: usize,
    /// Warnings for the user.
    pub warnings: Vec<HistoryWarning>,
}

/// A range of turns that the prompt replaces.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SegmentReport {
    /// The first turn that it replaces.
    pub first: u64,
    /// The last turn that it replaces.
    pub last: u64,
    /// Tokens of the text that is shown.
    pub tokens: u64,
    /// The origin of its text.
    pub origin: super::SegmentOrigin,
}

/// A fact that is nowhere in the prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LostFact {
    /// The fact, as the turn wrote it.
    pub text: String,
    /// The class of the fact.
    pub class: FactClass,
    /// The turn that said it first.
    pub turn: u64,
}

/// Number of facts that were kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Retention {
    /// Facts that are in the prompt, byte for byte.
    pub kept: u64,
    /// All facts of the conversation.
    pub total: u64,
}

impl HistoryReport {
    /// Compares a prompt with the facts of its conversation.
    #[must_use]
    pub fn new(material: &Material<'_>, plan: &PromptPlan, prompt: &str, compressor: &str) -> Self {
        let finder = Finder::new(prompt);
        let mut retention: BTreeMap<FactClass, Retention> = FactClass::ALL
            .into_iter()
            .map(|class| (class, Retention::default()))
            .collect();
        let mut lost = Vec::new();
        for fact in material.ledger.facts() {
            let count = retention.entry(fact.class).or_default();
            count.total += 1;
            if finder.contains(&fact.text) {
                count.kept += 1;
            } else {
                lost.push(LostFact {
                    text: fact.text.clone(),
                    class: fact.class,
                    turn: fact.turn,
                });
            }
        }
        let tokens_before = material.total();
        let tokens_after = material.counter.tokens(prompt);
        Self {
            compressor: compressor.to_owned(),
            level: plan.level,
            epoch: plan.epoch,
            n_compactions: plan.epoch.saturating_sub(1),
            tokens_before,
            tokens_after,
            ratio: share(tokens_after, tokens_before),
            segments: plan
                .segments
                .iter()
                .map(|segment| SegmentReport {
                    first: segment.first,
                    last: segment.last,
                    tokens: material.counter.tokens(&segment.text),
                    origin: segment.origin,
                })
                .collect(),
            pinned: plan.pinned.clone(),
            lost,
            statements: StatementReport::new(material, plan, &finder),
            retention,
            prefix_kept: 1.0,
            n_summary_statements_dropped: 0,
            n_model_calls: 0,
            warnings: Vec::new(),
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "a share needs no more than 53 bits")]
fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        1.0
    } else {
        part as f64 / whole as f64
    }
}
