//! The current epoch: a plan, and the prompt written so far.

use super::arrival::{MIN_EPOCH, arrival};
use super::compact::tag_of;
use super::material::Material;
use super::recall::recall;
use super::render::{render, write_head, write_recalled, write_turn};
use super::{Author, Level, PromptPlan, RecalledStatements, Turn, View};

/// A plan and its prompt. New turns are appended; the existing text stays byte for byte.
#[derive(Debug, Clone)]
pub(super) struct Epoch {
    pub(super) plan: PromptPlan,
    pub(super) text: String,
    pub(super) used: u64,
    /// Length of the log when compaction last failed to help.
    pub(super) tried_at: u64,
    /// A message that was taken back, with its recalled statements: if it is sent after all, they are used again.
    pub(super) tried_on: Option<(String, RecalledStatements)>,
}

impl Epoch {
    /// An epoch that shows nothing yet.
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
            tried_on: None,
        }
    }

    /// An epoch whose prompt is rendered from the plan.
    pub(super) fn of_plan(material: &Material<'_>, plan: PromptPlan) -> Self {
        let text = render(material.log, &plan).text;
        let used = material.counter.tokens(&text);
        Self {
            plan,
            text,
            used,
            tried_at: 0,
            tried_on: None,
        }
    }

    /// Appends the new turns; `false` if one of them does not fit.
    pub(super) fn extend(&mut self, material: &Material<'_>) -> bool {
        for turn in material.log.range(self.plan.shown_to + 1, material.log.len()) {
            let Some((view, cost)) = arrival(material, &self.plan, self.used, turn) else {
                return false;
            };
            self.used += cost;
            if turn.author == Author::User && self.plan.compresses() {
                self.recall_for(material, turn);
            }
            write_turn(&mut self.text, &self.plan.tag, turn, &view);
            if view != View::Whole {
                self.plan.views.insert(turn.number, view);
            }
            self.plan.shown_to = turn.number;
        }
        true
    }

    /// Writes related statements of old turns before a message. Only done for the last message, or one for which it was
    /// done before.
    fn recall_for(&mut self, material: &Material<'_>, turn: &Turn) {
        let room = material.config.room();
        // The user's next message should not end a young epoch.
        let spare = room.saturating_sub(self.used).saturating_sub(room / 6);
        let share = (spare / 6).min(room / 24);
        let recalled = match self.tried_on.take() {
            Some((message, recalled)) if recalled.before == turn.number && message == turn.text => {
                Some(recalled)
            }
            _ if turn.number == material.log.len() => {
                recall(material, &self.plan, &self.text, turn.number, share)
            }
            _ => None,
        };
        if let Some(recalled) = recalled {
            let mut frame = String::new();
            write_recalled(&mut frame, material.log, &self.plan.tag, &recalled);
            let cost = material.counter.tokens(&frame) + 1;
            if cost + self.used <= room {
                self.text.push_str(&frame);
                self.used += cost;
                self.plan.recalled.push(recalled);
            }
        }
    }

    /// Removes the last turn if it was written, with its recalled statements; it was shown whole.
    pub(super) fn take_back(&mut self, material: &Material<'_>, turn: &Turn) {
        if self.plan.shown_to != turn.number {
            return;
        }
        let mut tail = String::new();
        let recalled = self
            .plan
            .recalled
            .pop_if(|recalled| recalled.before == turn.number);
        if let Some(recalled) = recalled {
            write_recalled(&mut tail, material.log, &self.plan.tag, &recalled);
            self.used = self.used.saturating_sub(material.counter.tokens(&tail) + 1);
            self.tried_on = Some((turn.text.clone(), recalled));
        }
        write_turn(&mut tail, &self.plan.tag, turn, &View::Whole);
        self.text.truncate(self.text.len().saturating_sub(tail.len()));
        self.plan.shown_to = turn.number - 1;
        self.used = self.used.saturating_sub(material.whole(turn.number));
    }

    /// Whether a new epoch is due: the last message is hidden or cut, decisions may fit now, or the conversation
    /// reached the next level and the epoch is not too young.
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
        // Decisions that did not fit beside a long message may fit beside the next.
        let has_new_message = material.log.last_user() > Some(plan.started_at);
        if plan.n_decisions_lost > 0 && has_new_message && self.was_squeezed(material) {
            return true;
        }
        let since = plan.started_at.max(self.tried_at);
        if level == Level::None || material.log.len() < since + MIN_EPOCH {
            return false;
        }
        let is_unsealed = plan.segments.is_empty() && material.total() > config.summary_threshold;
        level > plan.level || is_unsealed
    }

    /// Whether the user's last message when the plan was made took more than a quarter of the prompt.
    fn was_squeezed(&self, material: &Material<'_>) -> bool {
        let mut turns = material.log.range(1, self.plan.started_at).iter().rev();
        let message = turns.find(|turn| turn.author == Author::User);
        message.is_some_and(|turn| material.whole(turn.number) > material.config.room() / 4)
    }

    /// Records that a compaction would not have helped.
    pub(super) fn note_useless_compaction(&mut self, material: &Material<'_>) {
        self.plan.level = material.config.level(material.total());
        self.tried_at = material.log.len();
    }
}
