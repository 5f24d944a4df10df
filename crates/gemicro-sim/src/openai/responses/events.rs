//! Formats answers as events: the same items, in chunks.

use serde_json::{Value, json};

use super::items::{self, ResponseHeading};
use crate::answer::{Finish, GeneratedAnswer, split};
use crate::play::GenerationFrame;

/// Returns all events of an answer, numbered from 0. A failure ends them early.
pub(super) fn events(
    answer: &GeneratedAnswer,
    output: &[Value],
    heading: &ResponseHeading<'_>,
) -> Vec<GenerationFrame> {
    let mut writer = ResponseWriter {
        answer,
        frames: Vec::new(),
    };
    let begun = items::shell(heading, "in_progress");
    writer.push("response.created", json!({"response": begun}));
    writer.push("response.in_progress", json!({"response": begun}));
    for (index, item) in output.iter().enumerate() {
        writer.item(index, item);
    }
    let mut whole = items::whole(answer, output, heading);
    if let Finish::Failed { after_chunks, .. } = &answer.finish {
        writer.cut_after(*after_chunks);
        // Unfinished output is not part of a failed response.
        whole["output"] = json!([]);
    }
    let name = match items::status(&answer.finish) {
        "failed" => "response.failed",
        "incomplete" => "response.incomplete",
        _ => "response.completed",
    };
    writer.push(name, json!({"response": whole}));
    for (number, frame) in writer.frames.iter_mut().enumerate() {
        frame.json["sequence_number"] = json!(number);
    }
    writer.frames
}

struct ResponseWriter<'a> {
    answer: &'a GeneratedAnswer,
    frames: Vec<GenerationFrame>,
}

impl ResponseWriter<'_> {
    fn push(&mut self, name: &str, fields: Value) {
        let mut json = json!({"type": name});
        for (field, value) in fields.as_object().into_iter().flatten() {
            json[field] = value.clone();
        }
        self.frames.push(GenerationFrame {
            json,
            is_chunk: false,
            n_steps: 0,
        });
    }

    /// Adds the chunks of a text and its end: `{name}.delta`, `{name}.done`.
    fn pieces(&mut self, name: &str, place: &Value, text: &str, field: &str) {
        for piece in split(text, self.answer.pace.chunks.as_ref()) {
            let mut fields = place.clone();
            fields["delta"] = json!(piece);
            self.push(&format!("{name}.delta"), fields);
            if let Some(frame) = self.frames.last_mut() {
                frame.is_chunk = true;
            }
        }
        let mut fields = place.clone();
        fields[field] = json!(text);
        self.push(&format!("{name}.done"), fields);
    }

    fn item(&mut self, index: usize, item: &Value) {
        let begun = opening_item(item);
        self.push(
            "response.output_item.added",
            json!({"output_index": index, "item": begun}),
        );
        let place = json!({"item_id": item["id"], "output_index": index});
        let text = |name: &str| item[name].as_str().unwrap_or_default();
        match kind(item) {
            "message" => self.contents(&place, item),
            "reasoning" => self.summaries(&place, item),
            "function_call" => self.pieces(
                "response.function_call_arguments",
                &place,
                text("arguments"),
                "arguments",
            ),
            "custom_tool_call" => {
                self.pieces("response.custom_tool_call_input", &place, text("input"), "input");
            }
            "web_search_call" => {
                for state in ["in_progress", "searching", "completed"] {
                    self.push(&format!("response.web_search_call.{state}"), place.clone());
                }
            }
            _ => {}
        }
        self.push(
            "response.output_item.done",
            json!({"output_index": index, "item": item}),
        );
    }

    fn contents(&mut self, place: &Value, item: &Value) {
        for (content_idx, part) in item["content"].as_array().into_iter().flatten().enumerate() {
            let mut place = place.clone();
            place["content_index"] = json!(content_idx);
            let with_part = |part: Value| {
                let mut fields = place.clone();
                fields["part"] = part;
                fields
            };
            let mut empty = part.clone();
            empty["text"] = json!("");
            empty["annotations"] = json!([]);
            self.push("response.content_part.added", with_part(empty));
            let mut with_logprobs = place.clone();
            with_logprobs["logprobs"] = json!([]);
            let text = part["text"].as_str().unwrap_or_default();
            self.pieces("response.output_text", &with_logprobs, text, "text");
            for (idx, annotation) in part["annotations"].as_array().into_iter().flatten().enumerate() {
                let mut fields = place.clone();
                fields["annotation_index"] = json!(idx);
                fields["annotation"] = annotation.clone();
                self.push("response.output_text.annotation.added", fields);
            }
            self.push("response.content_part.done", with_part(part.clone()));
        }
    }

    fn summaries(&mut self, place: &Value, item: &Value) {
        for (idx, part) in item["summary"].as_array().into_iter().flatten().enumerate() {
            let mut place = place.clone();
            place["summary_index"] = json!(idx);
            let with_part = |part: Value| {
                let mut fields = place.clone();
                fields["part"] = part;
                fields
            };
            let empty = json!({"type": "summary_text", "text": ""});
            self.push("response.reasoning_summary_part.added", with_part(empty));
            let text = part["text"].as_str().unwrap_or_default();
            self.pieces("response.reasoning_summary_text", &place, text, "text");
            self.push("response.reasoning_summary_part.done", with_part(part.clone()));
        }
    }

    /// Removes all frames from chunk number `n_chunks` on, counted from 0.
    fn cut_after(&mut self, n_chunks: usize) {
        let chunks = self.frames.iter().enumerate().filter(|(_, frame)| frame.is_chunk);
        let place = chunks.map(|(idx, _)| idx).nth(n_chunks);
        self.frames.truncate(place.unwrap_or(self.frames.len()));
    }
}

/// Returns the item at its start, without the content of the chunks.
fn opening_item(item: &Value) -> Value {
    let mut begun = item.clone();
    if begun.get("status").is_some() {
        begun["status"] = json!("in_progress");
    }
    match kind(item) {
        "message" => begun["content"] = json!([]),
        "reasoning" => begun["summary"] = json!([]),
        "function_call" => begun["arguments"] = json!(""),
        "custom_tool_call" => begun["input"] = json!(""),
        _ => {}
    }
    begun
}

fn kind(item: &Value) -> &str {
    item["type"].as_str().unwrap_or_default()
}
