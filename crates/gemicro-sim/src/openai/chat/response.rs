//! Formats answers as chat completions, complete or in chunks.

use serde_json::{Map, Value, json};

use crate::answer::{AnswerPart, Finish, GeneratedAnswer, Usage, split};
use crate::play::GenerationFrame;

/// Fields of a completion besides the answer.
pub(super) struct ChatHeading {
    pub(super) id: String,
    pub(super) model: String,
    pub(super) created: u64,
}

pub(super) fn whole(answer: &GeneratedAnswer, heading: &ChatHeading) -> Value {
    let mut message = json!({"role": "assistant", "content": null, "refusal": null});
    let mut calls = Vec::new();
    for part in &answer.parts {
        match part {
            AnswerPart::Thought { summary } => message["reasoning_content"] = json!(summary),
            AnswerPart::Text { text, .. } => message["content"] = json!(text),
            AnswerPart::Call { name, arguments } => {
                calls.push(tool_call(heading, calls.len(), name, &arguments.to_string()));
            }
            // This API has no built-in search.
            AnswerPart::Search { .. } => {}
        }
    }
    if !calls.is_empty() {
        message["tool_calls"] = Value::Array(calls);
    }
    let mut body = shell("chat.completion", heading);
    body["choices"] = json!([{
        "index": 0,
        "message": message,
        "logprobs": null,
        "finish_reason": finish_reason(&answer.finish),
    }]);
    body["usage"] = usage(&answer.usage);
    body
}

/// Formats the response in chunks. A failure ends them early.
pub(super) fn chunks(
    answer: &GeneratedAnswer,
    heading: &ChatHeading,
    with_usage: bool,
) -> Vec<GenerationFrame> {
    let mut writer = ChatWriter {
        heading,
        with_usage,
        frames: Vec::new(),
    };
    writer.push(
        json!({"role": "assistant", "content": "", "refusal": null}),
        None,
        false,
    );
    let pace = answer.pace.chunks.as_ref();
    let mut n_calls = 0;
    for part in &answer.parts {
        match part {
            AnswerPart::Thought { summary } => {
                for piece in split(summary.as_deref().unwrap_or_default(), pace) {
                    writer.push(json!({"reasoning_content": piece}), None, true);
                }
            }
            AnswerPart::Text { text, .. } => {
                for piece in split(text, pace) {
                    writer.push(json!({"content": piece}), None, true);
                }
            }
            AnswerPart::Call { name, arguments } => {
                let mut start = tool_call(heading, n_calls, name, "");
                start["index"] = json!(n_calls);
                writer.push(json!({"tool_calls": [start]}), None, false);
                for piece in split(&arguments.to_string(), pace) {
                    let more = json!({"index": n_calls, "function": {"arguments": piece}});
                    writer.push(json!({"tool_calls": [more]}), None, true);
                }
                n_calls += 1;
            }
            AnswerPart::Search { .. } => {}
        }
    }
    if let Finish::Failed {
        after_chunks,
        code,
        message,
    } = &answer.finish
    {
        writer.cut_after(*after_chunks);
        let error = json!({"message": message, "type": "server_error", "param": null, "code": code});
        writer.frames.push(plain(json!({"error": error})));
        return writer.frames;
    }
    writer.push(json!({}), Some(finish_reason(&answer.finish)), false);
    if with_usage {
        let mut last = shell("chat.completion.chunk", heading);
        last["choices"] = json!([]);
        last["usage"] = usage(&answer.usage);
        writer.frames.push(plain(last));
    }
    writer.frames
}

struct ChatWriter<'h> {
    heading: &'h ChatHeading,
    with_usage: bool,
    frames: Vec<GenerationFrame>,
}

impl ChatWriter<'_> {
    fn push(&mut self, delta: Value, finish_reason: Option<String>, is_chunk: bool) {
        let mut json = shell("chat.completion.chunk", self.heading);
        json["choices"] = json!([{
            "index": 0,
            "delta": delta,
            "logprobs": null,
            "finish_reason": finish_reason,
        }]);
        if self.with_usage {
            json["usage"] = Value::Null;
        }
        self.frames.push(GenerationFrame {
            is_chunk,
            ..plain(json)
        });
    }

    /// Removes all frames from chunk number `n_chunks` on, counted from 0.
    fn cut_after(&mut self, n_chunks: usize) {
        let chunks = self.frames.iter().enumerate().filter(|(_, frame)| frame.is_chunk);
        let place = chunks.map(|(idx, _)| idx).nth(n_chunks);
        self.frames.truncate(place.unwrap_or(self.frames.len()));
    }
}

fn plain(json: Value) -> GenerationFrame {
    GenerationFrame {
        json,
        is_chunk: false,
        n_steps: 0,
    }
}

fn shell(object: &str, heading: &ChatHeading) -> Value {
    let mut body = Map::new();
    body.insert("id".to_owned(), json!(heading.id));
    body.insert("object".to_owned(), json!(object));
    body.insert("created".to_owned(), json!(heading.created));
    body.insert("model".to_owned(), json!(heading.model));
    body.insert("system_fingerprint".to_owned(), json!("fp_sim"));
    Value::Object(body)
}

fn tool_call(heading: &ChatHeading, call_idx: usize, name: &str, arguments: &str) -> Value {
    json!({
        "id": format!("call_{}_{call_idx}", heading.id),
        "type": "function",
        "function": {"name": name, "arguments": arguments},
    })
}

/// `usage`. Thoughts count as part of the completion.
fn usage(usage: &Usage) -> Value {
    let prompt = usage.input + usage.tool_use;
    let completion = usage.output + usage.thought;
    json!({
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
        "prompt_tokens_details": {"cached_tokens": usage.cached},
        "completion_tokens_details": {"reasoning_tokens": usage.thought},
    })
}

fn finish_reason(finish: &Finish) -> String {
    match finish {
        Finish::Complete | Finish::Failed { .. } => "stop".to_owned(),
        Finish::NeedsAction => "tool_calls".to_owned(),
        Finish::MaxTokens => "length".to_owned(),
        Finish::PromptBlocked { .. } | Finish::AnswerBlocked { .. } => "content_filter".to_owned(),
        Finish::Named(name) => name.clone(),
    }
}
