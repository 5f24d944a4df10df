//! Collects the function calls of an answer, from whole messages or deltas.

use gemicro_core::llm::FunctionCall;
use serde_json::Value;

use super::trouble::OpenAiTrouble;
use crate::http::ANSWER_BYTES;

/// The calls so far, with the server's index of each.
#[derive(Debug, Default)]
pub(super) struct ToolCalls {
    calls: Vec<(u64, FunctionCall)>,
    n_bytes: usize,
}

impl ToolCalls {
    /// Takes the calls of a message, or parts of calls in a delta.
    pub(super) fn take(&mut self, said: &Value) -> Result<(), OpenAiTrouble> {
        let pieces = said.get("tool_calls").and_then(Value::as_array);
        for (place, piece) in pieces.into_iter().flatten().enumerate() {
            let text = |pointer: &str| piece.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
            let index = piece.get("index").and_then(Value::as_u64).unwrap_or(place as u64);
            let (id, name) = (text("/id"), text("/function/name"));
            // Most servers send a string; some send the object itself.
            let arguments = match piece.pointer("/function/arguments") {
                Some(Value::String(text)) => text.clone(),
                None | Some(Value::Null) => String::new(),
                Some(object) => object.to_string(),
            };
            self.n_bytes += id.len() + name.len() + arguments.len();
            if self.n_bytes > ANSWER_BYTES {
                return Err(OpenAiTrouble::TooLarge);
            }
            // Some servers use the same index for every call; a new id means a new call.
            let is_same = |(known, call): &&mut (u64, FunctionCall)| {
                *known == index && (id.is_empty() || call.id.is_empty() || call.id == id)
            };
            match self.calls.iter_mut().rev().find(is_same) {
                Some((_, call)) => {
                    call.id = if call.id.is_empty() {
                        id.to_owned()
                    } else {
                        std::mem::take(&mut call.id)
                    };
                    call.name.push_str(name);
                    call.arguments.push_str(&arguments);
                }
                None => self.calls.push((
                    index,
                    FunctionCall {
                        id: id.to_owned(),
                        name: name.to_owned(),
                        arguments,
                    },
                )),
            }
        }
        Ok(())
    }

    /// All calls; a call without an id gets one.
    pub(super) fn finish(self) -> Vec<FunctionCall> {
        let calls = self.calls.into_iter().enumerate();
        calls
            .map(|(idx, (_, call))| FunctionCall {
                id: if call.id.is_empty() {
                    format!("call-{}", idx + 1)
                } else {
                    call.id
                },
                arguments: if call.arguments.trim().is_empty() {
                    "{}".to_owned()
                } else {
                    call.arguments
                },
                name: call.name,
            })
            .collect()
    }
}
