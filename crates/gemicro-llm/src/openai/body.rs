//! Writes the body of a request, and omits fields that a server refuses.

use gemicro_core::llm::{
    AnswerDelivery, FunctionCall, FunctionResult, FunctionRound, LlmFunction, LlmRequest,
};
use serde_json::{Map, Value, json};

use super::refusal::OpenAiRefusal;

/// Fields that a server may not support, and whether they are still sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct OptionalFields {
    /// `tools`: some models cannot call functions.
    tools: bool,
    response_format: bool,
    stream_options: bool,
    /// Whether to use `max_tokens`, which most servers know, or `max_completion_tokens`.
    max_tokens: bool,
}

impl OptionalFields {
    /// All fields that the request needs, with the most common names.
    pub(super) fn of(request: &LlmRequest) -> Self {
        Self {
            tools: !request.functions.is_empty(),
            response_format: request.schema.is_some(),
            stream_options: streams(request),
            max_tokens: true,
        }
    }

    /// The fields to send after a refusal; `None` if the refusal has another reason. Each field is dropped only once,
    /// so this ends.
    pub(super) fn without_refused(self, refusal: &OpenAiRefusal) -> Option<Self> {
        if !matches!(refusal.status, 400 | 422) {
            return None;
        }
        if self.max_tokens
            && refusal.names(&["max_tokens"])
            && refusal.names(&["unsupported", "not supported", "max_completion_tokens"])
        {
            return Some(Self {
                max_tokens: false,
                ..self
            });
        }
        if self.stream_options && refusal.names(&["stream_options"]) {
            return Some(Self {
                stream_options: false,
                ..self
            });
        }
        if self.tools && refusal.names(&["tool", "function"]) {
            return Some(Self { tools: false, ..self });
        }
        // The prompt also asks for JSON, so a matching answer is still likely.
        let about_format = [
            "response_format",
            "json_schema",
            "schema",
            "format",
            "grammar",
            "structured",
        ];
        if self.response_format && refusal.names(&about_format) {
            return Some(Self {
                response_format: false,
                ..self
            });
        }
        None
    }

    pub(super) fn body(self, request: &LlmRequest) -> Vec<u8> {
        let mut messages = Vec::new();
        if let Some(system) = &request.system {
            messages.push(json!({"role": "system", "content": system}));
        }
        messages.push(json!({"role": "user", "content": request.prompt}));
        messages.extend(request.rounds.iter().flat_map(messages_of));
        let mut body = Map::new();
        let mut set = |name: &str, value: Value| body.insert(name.to_owned(), value);
        set("model", json!(request.model));
        set("messages", Value::Array(messages));
        set("stream", json!(streams(request)));
        if self.stream_options {
            set("stream_options", json!({"include_usage": true}));
        }
        if self.tools {
            set("tools", request.functions.iter().map(tool_of).collect());
        }
        let limit = if self.max_tokens {
            "max_tokens"
        } else {
            "max_completion_tokens"
        };
        set(limit, json!(request.max_output_tokens));
        if let Some(temperature) = request.temperature {
            // Through text: 0.2 must not become 0.20000000298.
            let exact: Option<f64> = temperature.to_string().parse().ok();
            set("temperature", json!(exact));
        }
        if let (true, Some(schema)) = (self.response_format, &request.schema) {
            let named = json!({"name": "answer", "schema": schema});
            set(
                "response_format",
                json!({"type": "json_schema", "json_schema": named}),
            );
        }
        Value::Object(body).to_string().into_bytes()
    }
}

fn tool_of(function: &LlmFunction) -> Value {
    json!({"type": "function", "function": {
        "name": function.name, "description": function.description, "parameters": function.parameters,
    }})
}

/// The messages of a round: the model's calls, and one for each result.
fn messages_of(round: &FunctionRound) -> Vec<Value> {
    let call = |call: &FunctionCall| json!({"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}});
    let calls: Vec<Value> = round.calls.iter().map(call).collect();
    let content = (!round.text.is_empty()).then_some(&round.text);
    let mut messages = vec![json!({"role": "assistant", "content": content, "tool_calls": calls})];
    let result = |result: &FunctionResult| json!({"role": "tool", "tool_call_id": result.call, "content": result.text});
    messages.extend(round.results.iter().map(result));
    messages
}

/// Whether to stream. This API has no background work, so such calls are streamed too.
fn streams(request: &LlmRequest) -> bool {
    match request.delivery {
        AnswerDelivery::Streamed | AnswerDelivery::Background => true,
        AnswerDelivery::Buffered => false,
    }
}
