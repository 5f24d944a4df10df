//! Redacts the items of a run before they are shown.

use gemicro_event::Json;
use gemicro_event::redact::{RedactStream, Redactor};

use crate::item::{AgentItem, RawLine};

/// Redacts items on their way to the watcher. Text arrives in chunks, so it is redacted as a stream.
#[derive(Debug)]
pub(super) struct LiveItems {
    redactor: Redactor,
    text: RedactStream,
    thought: RedactStream,
}

impl LiveItems {
    pub(super) fn new(redactor: &Redactor) -> Self {
        Self {
            redactor: redactor.clone(),
            text: redactor.stream(),
            thought: redactor.stream(),
        }
    }

    /// Shows an item, after any held-back text.
    pub(super) fn show(&mut self, item: AgentItem, mut show: impl FnMut(AgentItem)) {
        let item = match item {
            AgentItem::Text { text } => AgentItem::Text {
                text: self.text.push(&text),
            },
            AgentItem::Thought { text } => AgentItem::Thought {
                text: self.thought.push(&text),
            },
            other => {
                self.flush(&mut show);
                redact_item(&self.redactor, other)
            }
        };
        match &item {
            AgentItem::Text { text } | AgentItem::Thought { text } if text.is_empty() => {}
            _ => show(item),
        }
    }

    /// Shows the held-back text.
    pub(super) fn flush(&mut self, mut show: impl FnMut(AgentItem)) {
        let new = || self.redactor.stream();
        let thought = std::mem::replace(&mut self.thought, new()).finish();
        let text = std::mem::replace(&mut self.text, new()).finish();
        if !thought.is_empty() {
            show(AgentItem::Thought { text: thought });
        }
        if !text.is_empty() {
            show(AgentItem::Text { text });
        }
    }
}

fn redact_item(redactor: &Redactor, item: AgentItem) -> AgentItem {
    let plain = |text: String| redactor.redact(&text).into_owned();
    match item {
        AgentItem::ToolCall {
            id,
            name,
            title,
            input,
        } => AgentItem::ToolCall {
            id,
            name,
            title: title.map(plain),
            input: json(redactor, input),
        },
        AgentItem::ToolResult {
            id,
            status,
            output,
            exit_code,
            reason,
        } => AgentItem::ToolResult {
            id,
            status,
            output: output.map(plain),
            exit_code,
            reason: reason.map(plain),
        },
        AgentItem::Permission(mut request) => {
            request.title = request.title.map(plain);
            request.input = json(redactor, request.input);
            AgentItem::Permission(request)
        }
        AgentItem::Notice { message } => AgentItem::Notice {
            message: plain(message),
        },
        AgentItem::Ended(mut end) => {
            end.message = end.message.map(plain);
            end.text = end.text.map(plain);
            AgentItem::Ended(end)
        }
        AgentItem::Alarm { kind, message } => AgentItem::Alarm {
            kind: plain(kind),
            message: plain(message),
        },
        AgentItem::Raw { line } => match redactor.redact(&line.text()) {
            std::borrow::Cow::Borrowed(_) => AgentItem::Raw { line },
            std::borrow::Cow::Owned(text) => AgentItem::Raw {
                line: RawLine::new(text.as_bytes()),
            },
        },
        item @ (AgentItem::Started { .. }
        | AgentItem::Usage { .. }
        | AgentItem::Text { .. }
        | AgentItem::Thought { .. }) => item,
    }
}

/// Redacts JSON. That should keep it valid; if not, the whole value is masked.
pub(super) fn json(redactor: &Redactor, value: Json) -> Json {
    let Ok(text) = serde_json::to_string(&value) else {
        return Json::from(serde_json::Value::Null);
    };
    match redactor.redact(&text) {
        std::borrow::Cow::Borrowed(_) => value,
        std::borrow::Cow::Owned(text) => serde_json::from_str(&text).unwrap_or_else(|_| {
            let mask = gemicro_event::redact::MASK.to_owned();
            Json::from(serde_json::Value::String(mask))
        }),
    }
}
