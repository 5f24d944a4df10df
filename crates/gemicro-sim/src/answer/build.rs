//! Builds a rule's answer to a call.

use std::time::Duration;

use serde_json::Value;

use super::{persona, tokens};
use crate::call::{AnswerShape, ModelCall};
use crate::scenario::{
    AnswerFault, Chunks, CitedSpan, Persona, ReplyGate, SafetyStage, ScriptedReply, fill_json,
};

/// The model's complete answer to one call.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct GeneratedAnswer {
    pub(crate) parts: Vec<AnswerPart>,
    pub(crate) finish: Finish,
    pub(crate) usage: Usage,
    pub(crate) pace: Pace,
}

/// One part of the model's answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum AnswerPart {
    Thought {
        summary: Option<String>,
    },
    Search {
        queries: Vec<String>,
        suggestions: Option<String>,
    },
    Text {
        text: String,
        citations: Vec<CitedSpan>,
    },
    Call {
        name: String,
        arguments: Value,
    },
}

/// How the answer ends.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Finish {
    Complete,
    /// Function calls that wait for their results.
    NeedsAction,
    MaxTokens,
    PromptBlocked {
        reason: String,
    },
    AnswerBlocked {
        reason: String,
    },
    /// A failure after HTTP 200 and this many chunks.
    Failed {
        after_chunks: usize,
        code: String,
        message: String,
    },
    /// A reason named by the scenario.
    Named(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Usage {
    pub(crate) input: u64,
    pub(crate) output: u64,
    pub(crate) thought: u64,
    pub(crate) cached: u64,
    pub(crate) cache_written: u64,
    pub(crate) tool_use: u64,
    pub(crate) searches: u64,
}

impl Usage {
    pub(crate) fn total(&self) -> u64 {
        self.input + self.output + self.thought + self.tool_use
    }
}

/// How fast the answer is sent.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Pace {
    pub(crate) first: Duration,
    pub(crate) between: Duration,
    pub(crate) gate: Option<ReplyGate>,
    pub(crate) chunks: Option<Chunks>,
}

/// Builds the answer. Connection faults (cut, hang, garbage, content type) are applied by the reader.
pub(crate) fn answer(
    reply: &ScriptedReply,
    fault: Option<&AnswerFault>,
    call: &ModelCall,
) -> GeneratedAnswer {
    let mut parts = parts(reply, call);
    let mut finish = match (
        &reply.status,
        parts.iter().any(|part| matches!(part, AnswerPart::Call { .. })),
    ) {
        (Some(status), _) => Finish::Named(status.clone()),
        (None, true) => Finish::NeedsAction,
        (None, false) => Finish::Complete,
    };
    match fault {
        Some(AnswerFault::Empty) => {
            parts.clear();
            finish = Finish::Complete;
        }
        Some(AnswerFault::Safety(safety)) => {
            parts.clear();
            let reason = safety.reason.clone();
            finish = match safety.stage {
                SafetyStage::Prompt => Finish::PromptBlocked { reason },
                SafetyStage::Answer => Finish::AnswerBlocked { reason },
            };
        }
        Some(AnswerFault::MaxTokens(limit)) => {
            cut_text(&mut parts, limit.keep);
            finish = Finish::MaxTokens;
        }
        Some(AnswerFault::StreamError(error)) => {
            finish = Finish::Failed {
                after_chunks: error.after_chunks,
                code: error.code.clone(),
                message: error.message.clone(),
            };
        }
        Some(
            AnswerFault::Cut(_)
            | AnswerFault::Hang(_)
            | AnswerFault::Garbage
            | AnswerFault::ContentType(_)
            | AnswerFault::Noise,
        )
        | None => {}
    }
    let mut usage = usage(reply, &parts, call);
    if let (Some(limit), Finish::Complete) = (call.max_output, &finish)
        && usage.thought + usage.output > limit
    {
        cut_text(&mut parts, limit.saturating_sub(usage.thought));
        usage.thought = usage.thought.min(limit);
        usage.output = output_tokens(&parts);
        finish = Finish::MaxTokens;
    }
    let delay = reply.delay.unwrap_or_default();
    GeneratedAnswer {
        parts,
        finish,
        usage,
        pace: Pace {
            first: Duration::from_millis(delay.first_ms),
            between: Duration::from_millis(delay.between_ms),
            gate: reply.gate.clone(),
            chunks: reply.chunks.clone(),
        },
    }
}

fn parts(reply: &ScriptedReply, call: &ModelCall) -> Vec<AnswerPart> {
    let mut parts = Vec::new();
    if let Some(thoughts) = &reply.thoughts {
        let summary = call.wants_thoughts.then(|| thoughts.fill(call).trim().to_owned());
        parts.push(AnswerPart::Thought { summary });
    }
    if let Some(search) = &reply.search {
        parts.push(AnswerPart::Search {
            queries: search.queries.iter().map(|query| query.fill(call)).collect(),
            suggestions: search.suggestions.clone(),
        });
    }
    let plain = |text: String| AnswerPart::Text {
        text,
        citations: Vec::new(),
    };
    let knows = reply.knows.as_ref();
    match (&reply.text, &reply.json, reply.persona) {
        (Some(text), _, _) => {
            let (text, citations) = text.fill(call);
            parts.push(AnswerPart::Text { text, citations });
        }
        (None, Some(json), _) => parts.push(plain(fill_json(json, call).to_string())),
        (None, None, Some(persona)) => parts.push(plain(persona::speak(persona, knows, call))),
        (None, None, None) if reply.calls.is_empty() => {
            parts.push(plain(persona::speak(Persona::Helper, None, call)))
        }
        (None, None, None) => {}
    }
    for wanted in &reply.calls {
        let arguments = wanted
            .arguments
            .iter()
            .map(|(name, value)| (name.clone(), fill_json(value, call)));
        parts.push(AnswerPart::Call {
            name: wanted.name.clone(),
            arguments: Value::Object(arguments.collect()),
        });
    }
    if matches!(call.shape, AnswerShape::Text) {
        return parts;
    }
    // A JSON answer has no citations.
    for part in &mut parts {
        if let AnswerPart::Text { citations, .. } = part {
            citations.clear();
        }
    }
    parts
}

fn cut_text(parts: &mut [AnswerPart], mut room: u64) {
    for part in parts {
        if let AnswerPart::Text { text, citations } = part {
            *text = tokens::take(text, room).to_owned();
            citations.retain(|citation| citation.end <= text.len());
            room -= tokens::of_text(text).min(room);
        }
    }
}

fn usage(reply: &ScriptedReply, parts: &[AnswerPart], call: &ModelCall) -> Usage {
    let given = reply.usage.unwrap_or_default();
    let thought: u64 = reply
        .thoughts
        .iter()
        .map(|thoughts| tokens::of_text(&thoughts.fill(call)))
        .sum();
    let searches = parts
        .iter()
        .filter(|part| matches!(part, AnswerPart::Search { .. }))
        .count();
    Usage {
        input: given.input.unwrap_or(call.input_tokens),
        output: given.output.unwrap_or_else(|| output_tokens(parts)),
        thought: given.thought.unwrap_or(thought),
        cached: given.cached.unwrap_or(0),
        cache_written: given.cache_written.unwrap_or(0),
        tool_use: given.tool_use.unwrap_or(0),
        searches: searches as u64,
    }
}

fn output_tokens(parts: &[AnswerPart]) -> u64 {
    parts
        .iter()
        .map(|part| match part {
            AnswerPart::Text { text, .. } => tokens::of_text(text),
            AnswerPart::Call { name, arguments } => tokens::of_text(name) + tokens::of_json(arguments),
            AnswerPart::Thought { .. } | AnswerPart::Search { .. } => 0,
        })
        .sum()
}
