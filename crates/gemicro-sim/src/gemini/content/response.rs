//! Formats answers as generateContent responses, complete or in chunks.

use serde_json::{Map, Value, json};

use crate::answer::{AnswerPart, Finish, GeneratedAnswer, Usage, split};
use crate::play::GenerationFrame;
use crate::scenario::CitedSpan;

/// Fields of a response besides the answer.
pub(super) struct ContentHeading {
    pub(super) model: String,
    pub(super) response_id: String,
}

pub(super) fn whole(answer: &GeneratedAnswer, heading: &ContentHeading) -> Value {
    let parts: Vec<Value> = answer.parts.iter().flat_map(wire_parts).collect();
    response(answer, heading, parts, Some(finish_reason(answer)))
}

/// Formats the response in chunks; the last one has the finish reason. A failure ends the chunks early.
pub(super) fn chunks(answer: &GeneratedAnswer, heading: &ContentHeading) -> Vec<GenerationFrame> {
    let mut pieces: Vec<Value> = Vec::new();
    for part in &answer.parts {
        match part {
            AnswerPart::Text { text, .. } => {
                pieces.extend(
                    split(text, answer.pace.chunks.as_ref())
                        .into_iter()
                        .map(|text| json!({"text": text})),
                );
            }
            AnswerPart::Thought { .. } | AnswerPart::Search { .. } | AnswerPart::Call { .. } => {
                pieces.extend(wire_parts(part))
            }
        }
    }
    if let Finish::Failed { after_chunks, .. } = &answer.finish {
        pieces.truncate(*after_chunks);
    }
    let chunk = |json: Value| GenerationFrame {
        json,
        is_chunk: true,
        n_steps: 0,
    };
    if pieces.is_empty() {
        let last = match &answer.finish {
            Finish::Failed { code, message, .. } => failure(code, message),
            _ => response(answer, heading, Vec::new(), Some(finish_reason(answer))),
        };
        return vec![chunk(last)];
    }
    let n_pieces = pieces.len();
    let mut frames: Vec<GenerationFrame> = pieces
        .into_iter()
        .enumerate()
        .map(|(idx, piece)| {
            let ends = idx + 1 == n_pieces && !matches!(answer.finish, Finish::Failed { .. });
            chunk(response(
                answer,
                heading,
                vec![piece],
                ends.then(|| finish_reason(answer)),
            ))
        })
        .collect();
    if let Finish::Failed { code, message, .. } = &answer.finish {
        frames.push(chunk(failure(code, message)));
    }
    frames
}

pub(super) fn usage(usage: &Usage) -> Value {
    let mut fields = json!({
        "promptTokenCount": usage.input,
        "candidatesTokenCount": usage.output,
        "totalTokenCount": usage.total(),
        "promptTokensDetails": [{"modality": "TEXT", "tokenCount": usage.input}],
    });
    for (name, count) in [
        ("thoughtsTokenCount", usage.thought),
        ("cachedContentTokenCount", usage.cached),
        ("toolUsePromptTokenCount", usage.tool_use),
    ] {
        if count > 0 {
            fields[name] = json!(count);
        }
    }
    fields
}

fn failure(code: &str, message: &str) -> Value {
    json!({"error": {"code": 500, "message": message, "status": code.to_uppercase()}})
}

fn response(
    answer: &GeneratedAnswer,
    heading: &ContentHeading,
    parts: Vec<Value>,
    finish: Option<String>,
) -> Value {
    let mut body = Map::new();
    if let Finish::PromptBlocked { reason } = &answer.finish {
        body.insert("promptFeedback".to_owned(), json!({"blockReason": reason}));
    } else {
        let mut content = json!({"role": "model"});
        if !parts.is_empty() {
            content["parts"] = Value::Array(parts);
        }
        let mut candidate = json!({"content": content});
        if let Some(reason) = finish {
            candidate["finishReason"] = json!(reason);
            if let Some(grounding) = grounding(answer) {
                candidate["groundingMetadata"] = grounding;
            }
        }
        candidate["index"] = json!(0);
        body.insert("candidates".to_owned(), json!([candidate]));
    }
    body.insert("usageMetadata".to_owned(), usage(&answer.usage));
    body.insert("modelVersion".to_owned(), json!(heading.model));
    body.insert("responseId".to_owned(), json!(heading.response_id));
    Value::Object(body)
}

fn wire_parts(part: &AnswerPart) -> Vec<Value> {
    match part {
        AnswerPart::Thought {
            summary: Some(summary),
        } => vec![json!({"text": summary, "thought": true})],
        // A thought without a summary only appears in the usage, a search only in the grounding.
        AnswerPart::Thought { summary: None } | AnswerPart::Search { .. } => Vec::new(),
        AnswerPart::Text { text, .. } if text.is_empty() => Vec::new(),
        AnswerPart::Text { text, .. } => vec![json!({"text": text})],
        AnswerPart::Call { name, arguments } => vec![json!({
            "functionCall": {"name": name, "args": arguments},
            "thoughtSignature": crate::answer::SIGNATURE,
        })],
    }
}

fn finish_reason(answer: &GeneratedAnswer) -> String {
    match &answer.finish {
        Finish::Complete | Finish::NeedsAction | Finish::Failed { .. } => "STOP".to_owned(),
        Finish::MaxTokens => "MAX_TOKENS".to_owned(),
        Finish::PromptBlocked { reason } | Finish::AnswerBlocked { reason } => reason.clone(),
        Finish::Named(name) => name.to_uppercase(),
    }
}

/// Returns the `groundingMetadata` of a search and its citations.
fn grounding(answer: &GeneratedAnswer) -> Option<Value> {
    let queries = answer.parts.iter().find_map(|part| match part {
        AnswerPart::Search { queries, .. } => Some(queries),
        _ => None,
    })?;
    let (text, citations): (&str, &[CitedSpan]) = answer
        .parts
        .iter()
        .find_map(|part| match part {
            AnswerPart::Text { text, citations } => Some((text.as_str(), citations.as_slice())),
            _ => None,
        })
        .unwrap_or_default();
    let chunks: Vec<Value> = citations
        .iter()
        .map(|citation| json!({"web": {"uri": citation.url, "title": citation.title}}))
        .collect();
    let supports: Vec<Value> = citations
        .iter()
        .enumerate()
        .map(|(idx, citation)| {
            json!({
                "segment": {
                    "startIndex": citation.start,
                    "endIndex": citation.end,
                    "text": &text[citation.start..citation.end],
                },
                "groundingChunkIndices": [idx],
            })
        })
        .collect();
    Some(json!({"webSearchQueries": queries, "groundingChunks": chunks, "groundingSupports": supports}))
}
