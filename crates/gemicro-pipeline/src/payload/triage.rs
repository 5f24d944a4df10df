//! Sorts the feedback beside accepted work: what is for the backlog, for the documentation, or for neither.
//!
//! An agent may sort it itself, with points of the form `{"kind": "docs", "text": "…"}`. Any other point is for the
//! backlog, so that nothing is lost.

use serde_json::{Map, Value};

use super::decision::AgentDecision;
use super::honesty::honesty;
use super::product::{AgentPayload, Feedback};

/// What becomes of a point of feedback.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FeedbackKind {
    /// Work for later.
    Backlog,
    /// Documentation to update.
    Docs,
    /// Nothing; the journal has it.
    Ignore,
}

/// One point of an agent's feedback.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedbackPoint {
    /// Where it goes.
    pub kind: FeedbackKind,
    /// The point, in the agent's words.
    pub text: String,
}

/// Sorts the feedback of an agent that succeeded or accepted the work. The feedback of any other answer, and of one
/// that contradicts itself, is a reason to repeat the work instead.
#[must_use]
pub fn triage(payload: &AgentPayload) -> Vec<FeedbackPoint> {
    let is_accepted = match payload.decision() {
        AgentDecision::Done | AgentDecision::Approve | AgentDecision::Pass => honesty(payload).is_none(),
        AgentDecision::Reject
        | AgentDecision::Escalate
        | AgentDecision::Fail
        | AgentDecision::Failed { .. } => false,
    };
    match payload.feedback() {
        Some(feedback) if is_accepted => points(feedback),
        Some(_) | None => Vec::new(),
    }
}

fn points(feedback: Feedback<'_>) -> Vec<FeedbackPoint> {
    let Feedback::Object(members) = feedback else {
        return feedback.points().into_iter().map(backlog_point).collect();
    };
    if let Some(point) = read_point(members) {
        return vec![point];
    }
    let of_member = |(name, value): (&String, &Value)| match value {
        Value::Array(items) => items.iter().map(|item| of_value(name, item)).collect(),
        other => vec![of_value(name, other)],
    };
    members.iter().flat_map(of_member).collect()
}

fn of_value(name: &str, value: &Value) -> FeedbackPoint {
    if let Some(point) = value.as_object().and_then(read_point) {
        return point;
    }
    backlog_point(match value.as_str() {
        Some(text) => format!("{name}: {text}"),
        None => format!("{name}: {value}"),
    })
}

fn backlog_point(text: String) -> FeedbackPoint {
    let kind = FeedbackKind::Backlog;
    FeedbackPoint { kind, text }
}

/// Reads a point that the agent sorted.
fn read_point(members: &Map<String, Value>) -> Option<FeedbackPoint> {
    let kind = match members.get("kind")?.as_str()? {
        "backlog" => FeedbackKind::Backlog,
        "docs" => FeedbackKind::Docs,
        "ignore" => FeedbackKind::Ignore,
        _ => return None,
    };
    let text = members.get("text")?.as_str()?.to_owned();
    Some(FeedbackPoint { kind, text })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::shape::PayloadShape;
    use super::*;

    /// The points of a payload, each with its kind.
    fn check(shape: PayloadShape, payload: Value, expected: &[(FeedbackKind, &str)]) {
        let found = triage(&AgentPayload::new(shape, payload));
        let found: Vec<(FeedbackKind, &str)> = found.iter().map(|it| (it.kind, it.text.as_str())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn each_point_gets_the_kind_that_the_agent_gave_it() {
        use FeedbackKind::{Backlog, Docs, Ignore};
        let developer =
            |feedback: Value| json!({ "commit_hash": "abcdef1", "status": "success", "feedback": feedback });
        let shape = PayloadShape::Developer;
        check(
            shape,
            developer(json!("- I assumed JWT.\n- Tabs.")),
            &[(Backlog, "I assumed JWT."), (Backlog, "Tabs.")],
        );
        check(
            shape,
            developer(json!({ "kind": "docs", "text": "README is old" })),
            &[(Docs, "README is old")],
        );
        let items = json!({ "items": [
            { "kind": "ignore", "text": "fine" }, { "kind": "backlog", "text": "later" }, "loose", { "kind": "odd", "text": "x" },
        ], "plan": "vague" });
        check(
            shape,
            developer(items),
            &[
                (Ignore, "fine"),
                (Backlog, "later"),
                (Backlog, "items: loose"),
                (Backlog, r#"items: {"kind":"odd","text":"x"}"#),
                (Backlog, "plan: vague"),
            ],
        );
    }

    #[test]
    fn only_feedback_beside_accepted_work_is_sorted() {
        let verdict = |word: &str| json!({ "verdict": word, "feedback": "Mind the tabs." });
        check(PayloadShape::PlanReviewer, verdict("REJECT"), &[]);
        check(
            PayloadShape::PlanReviewer,
            verdict("APPROVE"),
            &[(FeedbackKind::Backlog, "Mind the tabs.")],
        );
        let report = json!({ "report_path": "docs/dev_docs/research/r.md", "feedback": "Mind the tabs." });
        check(
            PayloadShape::Researcher,
            report,
            &[(FeedbackKind::Backlog, "Mind the tabs.")],
        );
        let crash =
            json!({ "commit_hash": "abcdef1", "status": "success", "feedback": { "crash": "it died" } });
        check(PayloadShape::Developer, crash, &[]);
        let failed = json!({ "status": "failed", "reason": "no", "feedback": "Mind the tabs." });
        check(PayloadShape::Developer, failed, &[]);
    }
}
