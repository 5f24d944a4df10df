//! Formats answers as events: the same steps, in chunks.

use serde_json::{Value, json};

use super::steps;
use crate::answer::{Finish, GeneratedAnswer, split};
use crate::play::GenerationFrame;

/// Fields of the first and last event.
pub(super) struct InteractionIdentity<'i> {
    /// Empty if nothing is stored.
    pub(super) id: &'i str,
    /// `model` or `agent`, and its id.
    pub(super) who: (&'i str, &'i str),
    pub(super) created: &'i str,
}

/// Returns all events of an answer; `event_id` is their number, counted from 1.
pub(super) fn frames(
    answer: &GeneratedAnswer,
    output: &[Value],
    identity: &InteractionIdentity<'_>,
) -> Vec<GenerationFrame> {
    let mut writer = InteractionWriter {
        frames: Vec::new(),
        n_steps: 0,
    };
    writer.push(
        "interaction.created",
        json!({"interaction": interaction(identity, "in_progress")}),
    );
    for (index, step) in output.iter().enumerate() {
        writer.step(index, step, answer);
    }
    let status = steps::status(&answer.finish);
    match steps::failure(&answer.finish) {
        Some((code, message)) => {
            let keep = match &answer.finish {
                Finish::Failed { after_chunks, .. } => *after_chunks,
                _ => 0,
            };
            writer.cut_after(keep);
            writer.push("error", json!({"error": {"code": code, "message": message}}));
        }
        None => {
            let mut last = interaction(identity, status);
            last["usage"] = steps::usage(&answer.usage);
            if status == "requires_continuation" {
                last["continuation_token"] = json!(CONTINUATION);
            }
            writer.push("interaction.completed", json!({"interaction": last}));
        }
    }
    for (idx, frame) in writer.frames.iter_mut().enumerate() {
        frame.json["event_id"] = json!((idx + 1).to_string());
    }
    writer.frames
}

/// The token of every answer that ends with `requires_continuation`.
pub(super) const CONTINUATION: &str = "sim-continuation";

/// The last event for readers of a cancelled interaction.
pub(super) fn cancelled_event(identity: &InteractionIdentity<'_>) -> Value {
    json!({
        "interaction": interaction(identity, "cancelled"),
        "event_type": "interaction.completed",
        "event_id": "cancelled",
    })
}

fn interaction(identity: &InteractionIdentity<'_>, status: &str) -> Value {
    let (kind, name) = identity.who;
    let mut value = json!({"id": identity.id, "status": status, "object": "interaction"});
    value[kind] = json!(name);
    value["created"] = json!(identity.created);
    value
}

struct InteractionWriter {
    frames: Vec<GenerationFrame>,
    n_steps: usize,
}

impl InteractionWriter {
    fn push(&mut self, event_type: &str, mut json: Value) {
        json["event_type"] = json!(event_type);
        self.frames.push(GenerationFrame {
            json,
            is_chunk: false,
            n_steps: self.n_steps,
        });
    }

    fn delta(&mut self, index: usize, delta: Value) {
        self.push("step.delta", json!({"index": index, "delta": delta}));
    }

    /// Adds a delta that carries a chunk of the answer.
    fn chunk(&mut self, index: usize, delta: Value) {
        self.delta(index, delta);
        if let Some(frame) = self.frames.last_mut() {
            frame.is_chunk = true;
        }
    }

    fn step(&mut self, index: usize, step: &Value, answer: &GeneratedAnswer) {
        let kind = step["type"].as_str().unwrap_or_default();
        self.push("step.start", json!({"index": index, "step": shell(kind, step)}));
        match kind {
            "thought" => {
                for content in step["summary"].as_array().into_iter().flatten() {
                    self.chunk(index, json!({"type": "thought_summary", "content": content}));
                }
                self.delta(
                    index,
                    json!({"type": "thought_signature", "signature": step["signature"]}),
                );
            }
            "google_search_call" => self.delta(
                index,
                json!({"type": kind, "arguments": step["arguments"], "signature": step["signature"]}),
            ),
            "google_search_result" => {
                self.delta(
                    index,
                    json!({"type": kind, "result": step["result"], "is_error": false}),
                );
            }
            "function_call" => {
                for piece in split(&step["arguments"].to_string(), answer.pace.chunks.as_ref()) {
                    self.chunk(index, json!({"type": "arguments_delta", "arguments": piece}));
                }
                self.delta(
                    index,
                    json!({"type": "thought_signature", "signature": step["signature"]}),
                );
            }
            _ => self.text(index, step, answer),
        }
        self.n_steps += 1;
        self.push("step.stop", json!({"index": index}));
    }

    fn text(&mut self, index: usize, step: &Value, answer: &GeneratedAnswer) {
        for content in step["content"].as_array().into_iter().flatten() {
            let text = content["text"].as_str().unwrap_or_default();
            for piece in split(text, answer.pace.chunks.as_ref()) {
                self.chunk(index, json!({"type": "text", "text": piece}));
            }
            if let Some(annotations) = content.get("annotations") {
                self.delta(
                    index,
                    json!({"type": "text_annotation_delta", "annotations": annotations}),
                );
            }
        }
    }

    /// Removes all frames from chunk number `n_chunks` on, counted from 0. With 0, only the first frame is kept.
    fn cut_after(&mut self, n_chunks: usize) {
        let chunks = self.frames.iter().enumerate().filter(|(_, frame)| frame.is_chunk);
        let place = chunks.map(|(idx, _)| idx).nth(n_chunks);
        let keep = place.unwrap_or(self.frames.len());
        self.frames.truncate(if n_chunks == 0 { 1 } else { keep });
        self.n_steps = self.frames.last().map_or(0, |frame| frame.n_steps);
    }
}

/// Returns the step at its start, without the content of the deltas.
fn shell(kind: &str, step: &Value) -> Value {
    match kind {
        "function_call" => json!({"type": kind, "id": step["id"], "name": step["name"], "arguments": {}}),
        "google_search_call" => json!({"type": kind, "id": step["id"], "arguments": {}}),
        "google_search_result" => json!({"type": kind, "call_id": step["call_id"], "result": []}),
        _ => match step.get("error") {
            Some(error) => json!({"type": kind, "error": error}),
            None => json!({"type": kind}),
        },
    }
}
