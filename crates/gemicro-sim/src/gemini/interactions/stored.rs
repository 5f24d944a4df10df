//! Stores interactions in the simulator.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gemicro_event::Timestamp;
use serde_json::{Value, json};

use super::events::CONTINUATION;
use super::{input, steps};
use crate::answer::GeneratedAnswer;
use crate::play::{Generation, GenerationEnd};

/// Maximum number of stored interactions; the oldest are removed first.
const KEPT: usize = 4096;
/// Maximum total size of their requests.
const BYTES: usize = 256 << 20;
/// Request fields that GET returns.
const ECHOED: &[&str] = &[
    "system_instruction",
    "labels",
    "generation_config",
    "tools",
    "response_format",
];

/// One interaction: the request, the complete answer, and its progress.
#[derive(Debug)]
pub(crate) struct StoredInteraction {
    pub(super) id: String,
    pub(super) request: Value,
    pub(super) input: Vec<Value>,
    pub(super) output: Vec<Value>,
    pub(super) answer: GeneratedAnswer,
    pub(super) generation: Arc<Generation>,
    pub(super) created: Timestamp,
    pub(super) previous_id: Option<String>,
    /// Tokens of all turns so far, which the next turn reads again.
    pub(super) context_tokens: u64,
    pub(super) is_stored: bool,
    pub(super) is_background: bool,
    /// Size of the request's body.
    pub(super) n_bytes: usize,
}

impl StoredInteraction {
    /// The current state as returned by POST: output steps only, no request fields.
    pub(super) fn after_post(&self) -> Value {
        self.show(Vec::new())
    }

    /// The current state as returned by GET: the whole timeline and the request's settings.
    pub(super) fn after_get(&self, include_input: bool) -> Value {
        let mut body = self.show(self.input.clone());
        for name in ECHOED {
            if let Some(value) = self.request.get(name) {
                body[*name] = value.clone();
            }
        }
        if include_input {
            body["input"] = Value::Array(self.input.clone());
        }
        body
    }

    pub(super) fn has_ended(&self) -> bool {
        self.generation.progress().end.is_some()
    }

    /// Ids of the function calls that wait for a result.
    pub(super) fn pending_calls(&self) -> Vec<String> {
        if self.status() != "requires_action" {
            return Vec::new();
        }
        let calls = self.output.iter().filter(|step| step["type"] == "function_call");
        calls
            .filter_map(|call| call["id"].as_str().map(str::to_owned))
            .collect()
    }

    fn status(&self) -> &str {
        match self.generation.progress().end {
            None => "in_progress",
            Some(GenerationEnd::Cancelled) => "cancelled",
            Some(GenerationEnd::Finished) => steps::status(&self.answer.finish),
        }
    }

    fn show(&self, mut timeline: Vec<Value>) -> Value {
        let progress = self.generation.progress();
        let n_released = progress.n_released.min(self.generation.frames.len());
        let n_steps = match n_released {
            0 => 0,
            n => self.generation.frames[n - 1].n_steps,
        };
        timeline.extend(self.output.iter().take(n_steps).cloned());
        let status = self.status();
        let mut body = json!({});
        if self.is_stored {
            body["id"] = json!(self.id);
        }
        body["object"] = json!("interaction");
        body["status"] = json!(status);
        let kind = if self.request.get("agent").is_some() {
            "agent"
        } else {
            "model"
        };
        body[kind] = self.request[kind].clone();
        body["created"] = json!(self.created);
        body["updated"] = json!(self.created);
        body["service_tier"] = self
            .request
            .get("service_tier")
            .cloned()
            .unwrap_or(json!("standard"));
        if let Some(id) = &self.previous_id {
            body["previous_interaction_id"] = json!(id);
        }
        body["steps"] = Value::Array(timeline);
        if progress.end == Some(GenerationEnd::Finished) {
            body["usage"] = steps::usage(&self.answer.usage);
            if let Some((code, message)) = steps::failure(&self.answer.finish) {
                body["errors"] = json!([{"code": code, "message": message}]);
            }
            if status == "requires_continuation" {
                body["continuation_token"] = json!(CONTINUATION);
            }
        }
        body
    }
}

/// The turns that an interaction continues.
#[derive(Debug, Default)]
pub(crate) struct PreviousTurns {
    /// Tokens needed to read them again.
    pub(super) tokens: u64,
    /// All their steps, oldest first.
    pub(super) steps: Vec<Value>,
}

/// Returns the tokens of the history for the next interaction.
pub(super) fn context_tokens(before: u64, input: &[Value], output: &[Value]) -> u64 {
    before + input.iter().chain(output).map(input::step_tokens).sum::<u64>()
}

/// All interactions of a simulator, up to a limit.
#[derive(Debug)]
pub(crate) struct InteractionStore {
    kept: Mutex<StoredEntry>,
}

#[derive(Debug, Default)]
struct StoredEntry {
    by_id: HashMap<String, Arc<StoredInteraction>>,
    order: VecDeque<String>,
    n_bytes: usize,
}

impl InteractionStore {
    pub(crate) fn new() -> Self {
        Self {
            kept: Mutex::new(StoredEntry::default()),
        }
    }

    /// Removes everything and stops running generations.
    pub(crate) fn reset(&self) {
        let kept = std::mem::take(&mut *self.lock_entries());
        for interaction in kept.by_id.values() {
            interaction.generation.cancel();
        }
    }

    pub(super) fn get(&self, id: &str) -> Option<Arc<StoredInteraction>> {
        self.lock_entries().by_id.get(id).cloned()
    }

    /// Returns all turns up to and including an interaction.
    pub(super) fn before(&self, interaction: &StoredInteraction) -> PreviousTurns {
        let kept = self.lock_entries();
        let mut turns = vec![interaction];
        while let Some(earlier) = turns
            .last()
            .and_then(|turn| kept.by_id.get(turn.previous_id.as_ref()?))
        {
            turns.push(earlier);
        }
        let steps = turns
            .iter()
            .rev()
            .flat_map(|turn| turn.input.iter().chain(&turn.output));
        PreviousTurns {
            tokens: interaction.context_tokens,
            steps: steps.cloned().collect(),
        }
    }

    pub(super) fn insert(&self, interaction: Arc<StoredInteraction>) {
        let mut kept = self.lock_entries();
        kept.n_bytes += interaction.n_bytes;
        kept.order.push_back(interaction.id.clone());
        kept.by_id.insert(interaction.id.clone(), interaction);
        while kept.order.len() > KEPT || (kept.n_bytes > BYTES && kept.order.len() > 1) {
            if let Some(oldest) = kept.order.front().cloned() {
                kept.remove(&oldest);
            }
        }
    }

    pub(super) fn remove(&self, id: &str) -> Option<Arc<StoredInteraction>> {
        self.lock_entries().remove(id)
    }

    fn lock_entries(&self) -> MutexGuard<'_, StoredEntry> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl StoredEntry {
    fn remove(&mut self, id: &str) -> Option<Arc<StoredInteraction>> {
        self.order.retain(|known| known != id);
        let removed = self.by_id.remove(id);
        self.n_bytes -= removed.as_ref().map_or(0, |interaction| interaction.n_bytes);
        removed
    }
}
