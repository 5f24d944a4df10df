//! Formats answers as messages, complete or as events.

use serde_json::{Value, json};

use crate::answer::{AnswerPart, Finish, GeneratedAnswer, SIGNATURE, Usage, split};
use crate::play::GenerationFrame;

/// Fields of a message besides the answer.
pub(super) struct MessageHeading {
    /// Makes the ids unique.
    pub(super) number: u64,
    pub(super) model: String,
}

pub(super) fn whole(answer: &GeneratedAnswer, heading: &MessageHeading) -> Value {
    let mut message = shell(heading);
    message["content"] = Value::Array(blocks(answer, heading));
    message["stop_reason"] = json!(stop_reason(&answer.finish));
    message["usage"] = usage(&answer.usage, output_tokens(&answer.usage));
    message
}

/// Formats the message as events. A failure ends them early.
pub(super) fn events(answer: &GeneratedAnswer, heading: &MessageHeading) -> Vec<GenerationFrame> {
    let mut frames = Vec::new();
    let mut start = shell(heading);
    start["usage"] = usage(&answer.usage, 1);
    frames.push(plain(json!({"type": "message_start", "message": start})));
    let blocks = blocks(answer, heading);
    if blocks.is_empty() {
        frames.push(plain(json!({"type": "ping"})));
    }
    for (index, block) in blocks.iter().enumerate() {
        frames.push(plain(
            json!({"type": "content_block_start", "index": index, "content_block": opening_block(block)}),
        ));
        if index == 0 {
            frames.push(plain(json!({"type": "ping"})));
        }
        frames.extend(
            deltas(block, answer)
                .into_iter()
                .map(|(delta, is_chunk)| GenerationFrame {
                    is_chunk,
                    ..plain(json!({"type": "content_block_delta", "index": index, "delta": delta}))
                }),
        );
        frames.push(plain(json!({"type": "content_block_stop", "index": index})));
    }
    if let Finish::Failed {
        after_chunks,
        code,
        message,
    } = &answer.finish
    {
        cut_after(&mut frames, *after_chunks);
        frames.push(plain(
            json!({"type": "error", "error": {"type": error_type(code), "message": message}}),
        ));
        return frames;
    }
    frames.push(plain(json!({
        "type": "message_delta",
        "delta": {"stop_reason": stop_reason(&answer.finish), "stop_sequence": null},
        "usage": totals(&answer.usage, output_tokens(&answer.usage)),
    })));
    frames.push(plain(json!({"type": "message_stop"})));
    frames
}

fn shell(heading: &MessageHeading) -> Value {
    json!({
        "id": format!("msg_sim{:06}", heading.number),
        "type": "message",
        "role": "assistant",
        "model": heading.model,
        "content": [],
        "stop_reason": null,
        "stop_sequence": null,
        "usage": {},
    })
}

/// Returns the content. Searches are left out: this API has a different format for them, which no client of ours
/// requests.
fn blocks(answer: &GeneratedAnswer, heading: &MessageHeading) -> Vec<Value> {
    let mut blocks = Vec::new();
    for part in &answer.parts {
        match part {
            AnswerPart::Thought {
                summary: Some(summary),
            } => blocks.push(json!({"type": "thinking", "thinking": summary, "signature": SIGNATURE})),
            AnswerPart::Text { text, .. } if !text.is_empty() => {
                blocks.push(json!({"type": "text", "text": text}))
            }
            AnswerPart::Call { name, arguments } => blocks.push(json!({
                "type": "tool_use",
                "id": format!("toolu_sim{:06}_{}", heading.number, blocks.len()),
                "name": name,
                "input": arguments,
            })),
            AnswerPart::Thought { summary: None } | AnswerPart::Text { .. } | AnswerPart::Search { .. } => {}
        }
    }
    blocks
}

/// Returns the block at its start, without the content of the deltas.
fn opening_block(block: &Value) -> Value {
    let mut begun = block.clone();
    match kind(block) {
        "thinking" => {
            begun["thinking"] = json!("");
            begun["signature"] = json!("");
        }
        "tool_use" => begun["input"] = json!({}),
        _ => begun["text"] = json!(""),
    }
    begun
}

/// Returns the deltas of a block, and whether each carries a chunk of the answer.
fn deltas(block: &Value, answer: &GeneratedAnswer) -> Vec<(Value, bool)> {
    let pieces = |text: &str, kind: &str, field: &str| -> Vec<(Value, bool)> {
        split(text, answer.pace.chunks.as_ref())
            .into_iter()
            .map(|piece| (json!({"type": kind, field: piece}), true))
            .collect()
    };
    let text = |name: &str| block[name].as_str().unwrap_or_default();
    match kind(block) {
        "thinking" => {
            let mut deltas = pieces(text("thinking"), "thinking_delta", "thinking");
            deltas.push((
                json!({"type": "signature_delta", "signature": block["signature"]}),
                false,
            ));
            deltas
        }
        "tool_use" => {
            let mut deltas = vec![(json!({"type": "input_json_delta", "partial_json": ""}), false)];
            deltas.extend(pieces(
                &block["input"].to_string(),
                "input_json_delta",
                "partial_json",
            ));
            deltas
        }
        _ => pieces(text("text"), "text_delta", "text"),
    }
}

fn kind(block: &Value) -> &str {
    block["type"].as_str().unwrap_or_default()
}

/// Removes all frames from chunk number `n_chunks` on, counted from 0.
fn cut_after(frames: &mut Vec<GenerationFrame>, n_chunks: usize) {
    let chunks = frames.iter().enumerate().filter(|(_, frame)| frame.is_chunk);
    let place = chunks.map(|(idx, _)| idx).nth(n_chunks);
    frames.truncate(place.unwrap_or(frames.len()));
}

fn plain(json: Value) -> GenerationFrame {
    GenerationFrame {
        json,
        is_chunk: false,
        n_steps: 0,
    }
}

/// Thoughts count as output.
fn output_tokens(usage: &Usage) -> u64 {
    usage.output + usage.thought
}

/// `usage` of a message.
fn usage(usage: &Usage, output_tokens: u64) -> Value {
    let mut body = totals(usage, output_tokens);
    body["cache_creation"] =
        json!({"ephemeral_5m_input_tokens": usage.cache_written, "ephemeral_1h_input_tokens": 0});
    body["service_tier"] = json!("standard");
    body
}

/// Returns the counts. Tokens written to or read from a cache are not part of `input_tokens`.
fn totals(usage: &Usage, output_tokens: u64) -> Value {
    let all = usage.input + usage.tool_use;
    json!({
        "input_tokens": all.saturating_sub(usage.cached + usage.cache_written),
        "cache_creation_input_tokens": usage.cache_written,
        "cache_read_input_tokens": usage.cached,
        "output_tokens": output_tokens,
    })
}

fn stop_reason(finish: &Finish) -> String {
    match finish {
        Finish::Complete | Finish::Failed { .. } => "end_turn".to_owned(),
        Finish::NeedsAction => "tool_use".to_owned(),
        Finish::MaxTokens => "max_tokens".to_owned(),
        Finish::PromptBlocked { .. } | Finish::AnswerBlocked { .. } => "refusal".to_owned(),
        Finish::Named(name) => name.clone(),
    }
}

/// Returns the type of an error event, from the code in the scenario.
fn error_type(code: &str) -> &str {
    match code {
        "internal" => "api_error",
        "unavailable" | "overloaded" => "overloaded_error",
        "rate_limit_exceeded" => "rate_limit_error",
        other => other,
    }
}
