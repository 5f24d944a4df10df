//! The object that an agent ended its answer with, and what it says.
//!
//! The main type is [`AgentPayload`]. Unknown keys are kept and obeyed by nobody; no path is opened and no hash looked up here.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::decision::AgentDecision;
use super::shape::PayloadShape;

/// Holds what an agent submitted, in the shape of its role.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(rename = "Payload")]
pub struct AgentPayload {
    shape: PayloadShape,
    value: Value,
}

/// Holds what an agent has to say about what it judged or did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Feedback<'a> {
    /// Free text, as the agent wrote it.
    Text(&'a str),
    /// Points under names of the agent's choice.
    Object(&'a Map<String, Value>),
}

impl AgentPayload {
    /// Takes an object that was held against its shape.
    pub(super) fn new(shape: PayloadShape, value: Value) -> Self {
        Self { shape, value }
    }

    /// The shape that it was read with.
    #[must_use]
    pub fn shape(&self) -> PayloadShape {
        self.shape
    }

    /// The object, as the agent wrote it.
    #[must_use]
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// What the agent decided. An object that does not fit its shape, such as one from a changed record, is a failure.
    #[must_use]
    pub fn decision(&self) -> AgentDecision {
        let verdict = self
            .text("verdict")
            .filter(|word| self.shape.verdicts().contains(word));
        match verdict {
            Some("APPROVE") => AgentDecision::Approve,
            Some("REJECT") => AgentDecision::Reject,
            Some("ESCALATE") => AgentDecision::Escalate,
            Some("PASS") => AgentDecision::Pass,
            Some("FAIL") => AgentDecision::Fail,
            Some(_) | None => self.outcome(),
        }
    }

    /// The path of its report, plan or review, as the agent wrote it: see [`DocumentPath`](super::DocumentPath).
    #[must_use]
    pub fn document(&self) -> Option<&str> {
        self.shape.document_key().and_then(|key| self.text(key))
    }

    /// The commit that it submits.
    #[must_use]
    pub fn commit_hash(&self) -> Option<&str> {
        self.shape.commits().then(|| self.text("commit_hash")).flatten()
    }

    /// What it has to say beside its decision.
    #[must_use]
    pub fn feedback(&self) -> Option<Feedback<'_>> {
        match self.value.get("feedback")? {
            Value::String(text) => Some(Feedback::Text(text)),
            Value::Object(points) => Some(Feedback::Object(points)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => None,
        }
    }

    /// What a reviewer remarks beside an APPROVE or PASS, a line for each point: nothing has to change because of it.
    #[must_use]
    pub fn remarks(&self) -> Vec<String> {
        match self.decision().word() {
            "APPROVE" | "PASS" => self.feedback().map(|it| it.points()).unwrap_or_default(),
            _ => Vec::new(),
        }
    }

    /// Its ideas for later, as the agent wrote them: see [`clean_backlog`](super::clean_backlog).
    #[must_use]
    pub fn backlog_items(&self) -> Vec<&str> {
        let items = self.value.get("backlog_items").and_then(Value::as_array);
        items.into_iter().flatten().filter_map(Value::as_str).collect()
    }

    /// The decision of a role without a verdict.
    fn outcome(&self) -> AgentDecision {
        let is_done = if self.shape.commits() {
            self.text("status") == Some("success")
        } else {
            self.document().is_some() && self.shape.verdicts().is_empty()
        };
        if is_done {
            AgentDecision::Done
        } else {
            AgentDecision::Failed {
                reason: self
                    .text("reason")
                    .unwrap_or("it says nothing about its outcome")
                    .to_owned(),
            }
        }
    }

    fn text(&self, key: &str) -> Option<&str> {
        self.value.get(key).and_then(Value::as_str)
    }
}

impl Feedback<'_> {
    /// Its points, a line each.
    #[must_use]
    pub fn points(&self) -> Vec<String> {
        match self {
            Self::Text(text) => {
                let lines = text.lines();
                let lines = lines.map(|line| line.trim().trim_start_matches(['-', '*']).trim());
                lines.filter(|line| !line.is_empty()).map(str::to_owned).collect()
            }
            Self::Object(points) => points
                .iter()
                .map(|(name, value)| match value.as_str() {
                    Some(text) => format!("{name}: {text}"),
                    None => format!("{name}: {value}"),
                })
                .collect(),
        }
    }

    /// The feedback as text for a person or a prompt; an object as JSON over several lines.
    #[must_use]
    pub fn to_text(&self) -> String {
        match self {
            Self::Text(text) => (*text).to_owned(),
            Self::Object(points) => {
                serde_json::to_string_pretty(points).expect("an object with text keys can be written")
            }
        }
    }
}
