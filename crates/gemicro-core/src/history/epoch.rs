//! The present epoch: a plan, and the prompt as far as it is written.

use super::arrival::{MIN_EPOCH, arrival};
use super::compact::tag_of;
use super::material::Material;
use super::render::{render, write_head, write_turn};
use super::{Level, PromptPlan, Turn, View};

/// A plan and its prompt. New turns are written behind it; what is there stays byte for byte.
#[derive(Debug, Clone)]
pub(super) struct Epoch {
    pub(super) plan: PromptPlan,
    pub(super) text: String,
    pub(super) used: u64,
    /// When a compaction was last tried in vain.
    pub(super) tried_at: u64,
}

impl Epoch {
    /// Nothing is shown yet.
    pub(super) fn first(material: &Material<'_>) -> Self {
        let plan = PromptPlan::verbatim(tag_of(material, 1));
        let mut text = String::new();
        write_head(&mut text, &plan);
        let used = material.counter.tokens(&text);
        Self {
            plan,
            text,
            used,
            tried_at: 0,
        }
    }

    /// Everything is shown as the plan says.
    pub(super) fn of_plan(material: &Material<'_>, plan: PromptPlan) -> Self {
        let text = render(material.log, &plan).text;
        let used = material.counter.tokens(&text);
        Self {
            plan,
            text,
            used,
            tried_at: 0,
        }
    }

    /// Writes the turns that are new; `false` when there is no room for one of them.
    pub(super) fn extend(&mut self, material: &Material<'_>) -> bool {
        for turn in material.log.range(self.plan.shown_to + 1, material.log.len()) {
            let Some((view, cost)) = arrival(material, &self.plan, self.used, turn) else {
                return false;
            };
            write_turn(&mut self.text, &self.plan.tag, turn, &view);
            if view != View::Whole {
                self.plan.views.insert(turn.number, view);
            }
            self.used += cost;
            self.plan.shown_to = turn.number;
        }
        true
    }

    /// Takes the last turn off again if it was written; it was shown whole and cost `cost`.
    pub(super) fn take_back(&mut self, turn: &Turn, cost: u64) {
        if self.plan.shown_to != turn.number {
            return;
        }
        let mut frame = String::new();
        write_turn(&mut frame, &self.plan.tag, turn, &View::Whole);
        self.text.truncate(self.text.len().saturating_sub(frame.len()));
        self.plan.shown_to = turn.number - 1;
        self.used = self.used.saturating_sub(cost);
    }

    /// Whether the conversation has grown into the next level, and the epoch is not too young to end.
    pub(super) fn is_due(&self, material: &Material<'_>) -> bool {
        let config = material.config;
        let plan = &self.plan;
        let level = config.level(material.total());
        let is_hidden = |number: u64| {
            (number < plan.from && !plan.kept.contains(&number)) || *plan.view(number) != View::Whole
        };
        if material.log.last_user().is_some_and(is_hidden) {
            return true;
        }
        // What did not fit beside a long message may fit beside the next.
        let has_new_message = material.log.last_user() > Some(plan.started_at);
        if plan.n_decisions_lost > 0 && has_new_message {
            return true;
        }
        let since = plan.started_at.max(self.tried_at);
        if level == Level::None || material.log.len() < since + MIN_EPOCH {
            return false;
        }
        let is_unsealed = plan.segments.is_empty() && material.total() > config.summary_threshold;
        level > plan.level || is_unsealed
    }

    /// Remembers that a compaction would have gained nothing.
    pub(super) fn tried(&mut self, material: &Material<'_>) {
        self.plan.level = material.config.level(material.total());
        self.tried_at = material.log.len();
    }
}
