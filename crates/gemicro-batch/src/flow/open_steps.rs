//! The steps of a batch that are running, waiting for another attempt, or waiting for a person.

use std::collections::HashSet;

use gemicro_event::{Event, StepKey};

/// The open steps of a batch, folded from its journal.
#[derive(Debug, Default)]
pub struct OpenSteps {
    running: HashSet<StepKey>,
    asking: HashSet<StepKey>,
    /// Steps that start again without intervention.
    waiting: HashSet<StepKey>,
}

impl OpenSteps {
    /// Applies one event.
    pub fn fold(&mut self, event: &Event) {
        let Some(step) = &event.step else {
            return;
        };
        match event.update.event_type.as_str() {
            "step_started" => {
                self.waiting.remove(step);
                self.running.insert(step.clone());
            }
            "step_retrying" | "step_parked" | "step_lost" => {
                self.end(step);
                self.waiting.insert(step.clone());
            }
            "step_completed" | "step_failed" => {
                self.end(step);
                self.waiting.remove(step);
            }
            "batch_item_asks" => {
                self.asking.insert(step.clone());
            }
            "batch_item_answered" => {
                self.asking.remove(step);
            }
            _ => {}
        }
    }

    /// Whether the batch can only continue after a person has answered.
    #[must_use]
    pub fn only_ask(&self) -> bool {
        !self.asking.is_empty() && self.waiting.is_empty() && self.running.is_subset(&self.asking)
    }

    fn end(&mut self, step: &StepKey) {
        self.running.remove(step);
        self.asking.remove(step);
    }
}
