//! Turns the JSON of a server into chunks, both for whole answers and for deltas.

use gemicro_core::llm::{FinishReason, LlmChunk, LlmEnd};
use gemicro_event::Usage;
use gemicro_event::text::excerpt;
use serde_json::Value;

use super::refusal::OpenAiRefusal;
use super::think::ThinkFilter;
use super::tool_calls::ToolCalls;
use super::trouble::OpenAiTrouble;

/// The parts of one answer received so far.
#[derive(Debug)]
pub(super) struct OpenAiAnswer {
    think: ThinkFilter,
    finish: Option<String>,
    usage: Option<Usage>,
    id: Option<String>,
    /// The model's refusal to answer.
    refusal: String,
    calls: ToolCalls,
}

impl OpenAiAnswer {
    pub(super) fn new() -> Self {
        Self {
            think: ThinkFilter::new(),
            finish: None,
            usage: None,
            id: None,
            refusal: String::new(),
            calls: ToolCalls::default(),
        }
    }

    /// Whether the server has sent a finish reason.
    pub(super) fn has_finished(&self) -> bool {
        self.finish.is_some()
    }

    /// Takes a whole answer (`message`) or a part of one (`delta`).
    pub(super) fn take(&mut self, value: &Value) -> Result<LlmChunk, OpenAiTrouble> {
        if value.get("error").is_some_and(|error| !error.is_null()) {
            return Err(OpenAiTrouble::Broken(Box::new(OpenAiRefusal::inside(value))));
        }
        if let Some(id) = value
            .get("id")
            .and_then(Value::as_str)
            .filter(|id| !id.is_empty())
        {
            self.id = Some(id.to_owned());
        }
        if let Some(usage) = value.get("usage").and_then(usage_of) {
            self.usage = Some(usage);
        }
        let Some(choice) = value.pointer("/choices/0") else {
            return Ok(LlmChunk::Alive);
        };
        let reason = choice.get("finish_reason").and_then(Value::as_str);
        if let Some(reason) = reason.filter(|reason| !reason.is_empty()) {
            self.finish = Some(reason.to_owned());
        }
        let null = Value::Null;
        let said = choice
            .get("delta")
            .or_else(|| choice.get("message"))
            .unwrap_or(&null);
        if let Some(refusal) = said.get("refusal").and_then(Value::as_str) {
            self.refusal.push_str(refusal);
        }
        self.calls.take(said)?;
        // Thoughts come in separate fields (`reasoning_content`, `reasoning`): they show activity, but are not text.
        let text = self.think.push(&text_of(said));
        Ok(if text.is_empty() {
            LlmChunk::Alive
        } else {
            LlmChunk::Text(text)
        })
    }

    /// The remaining chunks at a proper end.
    pub(super) fn end(self) -> Vec<LlmChunk> {
        let mut chunks = Vec::new();
        let rest = self.think.finish();
        if !rest.is_empty() {
            chunks.push(LlmChunk::Text(rest));
        }
        let calls = self.calls.finish();
        let finish = match self.finish.as_deref() {
            _ if !self.refusal.is_empty() => FinishReason::Blocked {
                reason: excerpt(&self.refusal),
            },
            None | Some("stop") => FinishReason::Stop,
            Some("tool_calls" | "function_call") if !calls.is_empty() => FinishReason::Stop,
            Some("length") => FinishReason::MaxTokens,
            Some("content_filter") => FinishReason::Blocked {
                reason: "content_filter".to_owned(),
            },
            Some(other) => {
                chunks.push(LlmChunk::Alarm(format!(
                    "the answer ended for a reason that is not known: `{}`",
                    excerpt(other)
                )));
                FinishReason::Stop
            }
        };
        chunks.push(LlmChunk::End(LlmEnd {
            finish,
            usage: self.usage,
            interaction_id: self.id,
            annotations: Vec::new(),
            calls,
        }));
        chunks
    }
}

/// The content of a message: a string, or a list of parts, some of which are text.
fn text_of(said: &Value) -> String {
    match said.get("content") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            let texts = parts.iter().filter_map(|part| part.get("text")?.as_str());
            texts.collect()
        }
        _ => String::new(),
    }
}

/// The token usage, unless the server only filled in zeros.
fn usage_of(usage: &Value) -> Option<Usage> {
    let count = |pointer: &str| usage.pointer(pointer).and_then(Value::as_u64).unwrap_or(0);
    let (input, completion) = (count("/prompt_tokens"), count("/completion_tokens"));
    if input == 0 && completion == 0 {
        return None;
    }
    let thought = count("/completion_tokens_details/reasoning_tokens");
    // Most servers include thoughts in the completion; if not, their total shows it.
    let is_beside = thought > 0 && count("/total_tokens") == input + completion + thought;
    Some(Usage {
        input_tokens: input,
        output_tokens: if is_beside {
            completion + thought
        } else {
            completion
        },
        cached_tokens: count("/prompt_tokens_details/cached_tokens"),
        thought_tokens: thought,
        ..Usage::default()
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn usage_is_what_was_read_and_written() {
        let usage = |value: Value| usage_of(&value);
        assert_eq!(usage(json!(null)), None);
        assert_eq!(
            usage(json!({"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0})),
            None
        );
        let full = json!({
            "prompt_tokens": 100, "completion_tokens": 30, "total_tokens": 130,
            "prompt_tokens_details": {"cached_tokens": 80},
            "completion_tokens_details": {"reasoning_tokens": 20},
        });
        let expected = Usage {
            input_tokens: 100,
            output_tokens: 30,
            cached_tokens: 80,
            thought_tokens: 20,
            ..Usage::default()
        };
        assert_eq!(usage(full), Some(expected));
        let beside = json!({
            "prompt_tokens": 100, "completion_tokens": 30, "total_tokens": 150,
            "completion_tokens_details": {"reasoning_tokens": 20},
        });
        assert_eq!(usage(beside).map(|usage| usage.output_tokens), Some(50));
    }

    #[test]
    fn parts_are_texts_too() {
        let mut answer = OpenAiAnswer::new();
        let message = json!({"choices": [{"message": {"content": [
            {"type": "thinking", "thinking": []}, {"type": "text", "text": "yes"},
        ]}, "finish_reason": "stop"}]});
        assert_eq!(answer.take(&message), Ok(LlmChunk::Text("yes".to_owned())));
    }

    #[test]
    fn a_refusal_of_the_model_is_a_block() {
        let mut answer = OpenAiAnswer::new();
        let piece = json!({"choices": [{"delta": {"refusal": "I cannot."}, "finish_reason": "stop"}]});
        assert_eq!(answer.take(&piece), Ok(LlmChunk::Alive));
        let reason = "I cannot.".to_owned();
        let end = answer.end().pop();
        assert!(
            matches!(&end, Some(LlmChunk::End(end)) if end.finish == FinishReason::Blocked { reason }),
            "{end:?}"
        );
    }
}
