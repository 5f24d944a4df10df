//! Formats answers as complete steps, with usage and status.

use serde_json::{Value, json};

use crate::answer::{AnswerPart, Finish, GeneratedAnswer, SIGNATURE, Usage};
use crate::scenario::CitedSpan;

/// Returns the output steps. `number` makes the ids of calls unique.
pub(super) fn steps(answer: &GeneratedAnswer, number: u64) -> Vec<Value> {
    let mut steps = Vec::new();
    for part in &answer.parts {
        let id = format!("call_{number}_{}", steps.len());
        match part {
            AnswerPart::Thought { summary } => {
                let mut step = json!({"type": "thought", "signature": SIGNATURE});
                if let Some(summary) = summary {
                    step["summary"] = json!([{"type": "text", "text": summary}]);
                }
                steps.push(step);
            }
            AnswerPart::Search { queries, suggestions } => {
                steps.push(json!({
                    "type": "google_search_call",
                    "id": id,
                    "arguments": {"queries": queries},
                    "signature": SIGNATURE,
                }));
                steps.push(json!({
                    "type": "google_search_result",
                    "call_id": id,
                    "result": [{"search_suggestions": suggestions.as_deref().unwrap_or(SUGGESTIONS)}],
                }));
            }
            AnswerPart::Text { text, citations } => {
                let mut content = json!({"type": "text", "text": text});
                if !citations.is_empty() {
                    content["annotations"] = annotations(citations);
                }
                steps.push(json!({"type": "model_output", "content": [content]}));
            }
            AnswerPart::Call { name, arguments } => steps.push(json!({
                "type": "function_call",
                "id": id,
                "name": name,
                "arguments": arguments,
                "signature": SIGNATURE,
            })),
        }
    }
    if let Finish::AnswerBlocked { reason } = &answer.finish {
        steps.push(json!({
            "type": "model_output",
            "content": [],
            "error": {"code": 3, "message": format!("The response was blocked: {reason}.")},
        }));
    }
    steps
}

const SUGGESTIONS: &str = "<div class=\"container\">simulated suggestions</div>";

/// Returns the citations of a text; offsets are in bytes.
pub(super) fn annotations(citations: &[CitedSpan]) -> Value {
    citations
        .iter()
        .map(|citation| {
            json!({
                "type": "url_citation",
                "url": citation.url,
                "title": citation.title,
                "start_index": citation.start,
                "end_index": citation.end,
            })
        })
        .collect()
}

pub(super) fn usage(usage: &Usage) -> Value {
    let mut body = json!({
        "total_tokens": usage.total(),
        "total_input_tokens": usage.input,
        "input_tokens_by_modality": [{"modality": "text", "tokens": usage.input}],
        "total_cached_tokens": usage.cached,
        "total_output_tokens": usage.output,
        "total_tool_use_tokens": usage.tool_use,
        "total_thought_tokens": usage.thought,
    });
    if usage.searches > 0 {
        body["grounding_tool_count"] = json!([{"type": "google_search", "count": usage.searches}]);
    }
    body
}

pub(super) fn status(finish: &Finish) -> &str {
    match finish {
        Finish::Complete => "completed",
        Finish::NeedsAction => "requires_action",
        Finish::MaxTokens | Finish::AnswerBlocked { .. } => "incomplete",
        Finish::PromptBlocked { .. } | Finish::Failed { .. } => "failed",
        Finish::Named(name) => name,
    }
}

/// Returns the code and message of an answer that failed as a whole.
pub(super) fn failure(finish: &Finish) -> Option<(String, String)> {
    match finish {
        Finish::PromptBlocked { reason } => Some((
            "content_blocked".to_owned(),
            format!("The prompt was blocked: {reason}."),
        )),
        Finish::Failed { code, message, .. } => Some((code.clone(), message.clone())),
        Finish::Complete
        | Finish::NeedsAction
        | Finish::MaxTokens
        | Finish::AnswerBlocked { .. }
        | Finish::Named(_) => None,
    }
}
