//! The object that ends an agent's answer, and its meaning.
//!
//! The main type is [`AgentPayload`]. Unknown keys are kept but ignored. Paths are not opened and hashes not looked up
//! here.

use gemicro_memory::NewSkill;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::decision::AgentDecision;
use super::shape::PayloadShape;

/// An agent's result, in the shape of its role.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(rename = "Payload")]
pub struct AgentPayload {
    shape: PayloadShape,
    value: Value,
}

/// An agent's comments on its own or the reviewed work.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Feedback<'a> {
    /// Free text, as the agent wrote it.
    Text(&'a str),
    /// Points with names chosen by the agent.
    Object(&'a Map<String, Value>),
}

impl AgentPayload {
    /// Wraps an object that was checked against its shape.
    pub(super) fn new(shape: PayloadShape, value: Value) -> Self {
        Self { shape, value }
    }

    /// The shape of the payload.
    #[must_use]
    pub fn shape(&self) -> PayloadShape {
        self.shape
    }

    /// The object, as the agent wrote it.
    #[must_use]
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// The agent's decision. An object that does not fit its shape, such as one from an altered record, is a failure.
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

    /// The submitted commit.
    #[must_use]
    pub fn commit_hash(&self) -> Option<&str> {
        self.shape.commits().then(|| self.text("commit_hash")).flatten()
    }

    /// The agent's comments, besides its decision.
    #[must_use]
    pub fn feedback(&self) -> Option<Feedback<'_>> {
        match self.value.get("feedback")? {
            Value::String(text) => Some(Feedback::Text(text)),
            Value::Object(points) => Some(Feedback::Object(points)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => None,
        }
    }

    /// Remarks of a reviewer with an APPROVE or PASS, one line per point. They do not require changes.
    #[must_use]
    pub fn remarks(&self) -> Vec<String> {
        match self.decision().word() {
            "APPROVE" | "PASS" => self.feedback().map(|it| it.points()).unwrap_or_default(),
            _ => Vec::new(),
        }
    }

    /// Ideas for later, as the agent wrote them: see [`clean_backlog`](super::clean_backlog).
    #[must_use]
    pub fn backlog_items(&self) -> Vec<&str> {
        self.texts("backlog_items")
    }

    /// What the agent learned, as it wrote it. A person decides before other agents see any of it.
    #[must_use]
    pub fn lessons(&self) -> Vec<&str> {
        self.texts("lessons")
    }

    /// The skill that the agent proposes, as it wrote it; `None` if it has another shape. A person decides before other
    /// agents see any of it.
    #[must_use]
    pub fn skill(&self) -> Option<NewSkill> {
        NewSkill::deserialize(self.value.get("skill")?).ok()
    }

    fn texts(&self, key: &str) -> Vec<&str> {
        let items = self.value.get(key).and_then(Value::as_array);
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
                    .unwrap_or("it does not report its outcome")
                    .to_owned(),
            }
        }
    }

    fn text(&self, key: &str) -> Option<&str> {
        self.value.get(key).and_then(Value::as_str)
    }
}

impl Feedback<'_> {
    /// The points of the feedback, one line each.
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

    /// The feedback as text for a person or a prompt; an object becomes JSON on several lines.
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
