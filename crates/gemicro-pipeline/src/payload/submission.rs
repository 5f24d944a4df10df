//! The tool `submit_result`, with which an agent submits its payload.
//!
//! [`ExpectedSubmission`] is what a step expects, [`Submissions`] what the agent submitted. A submission counts exactly
//! like a block with the nonce: [`read_with`](super::read_with) compares both. The server of the tool is elsewhere.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::fit::misfit;
use super::json;
use super::nonce::Nonce;
use super::product::AgentPayload;
use super::shape::PayloadShape;

/// The name of the tool.
pub const SUBMIT_TOOL: &str = "submit_result";

/// Two different results do not count, and a third changes nothing.
const MOST_KEPT: usize = 2;

/// The submission that a step expects.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExpectedSubmission {
    /// The shape that the payload must have.
    pub shape: PayloadShape,
    /// Proof that it is meant for this step.
    pub nonce: Nonce,
}

/// The submissions of one step.
#[derive(Debug, Default)]
pub struct Submissions {
    kept: Vec<Value>,
}

impl ExpectedSubmission {
    /// Description of the tool for the model.
    #[must_use]
    pub fn description(&self) -> &'static str {
        "Submits the result of your work: the same JSON object as in the block that ends your answer. Call it once, when \
         everything is done."
    }

    /// JSON schema of the tool's arguments. It does not contain the nonce, which the model only learns from its prompt.
    #[must_use]
    pub fn input_schema(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "nonce": {
                    "type": "string",
                    "description": "The text after `gemicro:` in the first line of the block that you are asked for.",
                },
                "result": result_schema(self.shape),
            },
            "required": ["nonce", "result"],
        })
    }

    /// Returns the payload in the arguments of a call, which are JSON text. Extra fields that a CLI adds are ignored.
    ///
    /// # Errors
    /// When it cannot be accepted, as a message to the agent.
    pub fn accept(&self, arguments: &str) -> Result<Value, String> {
        let read = json::read_whole(arguments);
        let mut arguments = match read {
            Ok(Value::Object(arguments)) => arguments,
            Ok(_) | Err(_) => {
                return Err(
                    "the arguments are not one JSON object of at most 64 KiB without duplicate keys"
                        .to_owned(),
                );
            }
        };
        if arguments.get("nonce").and_then(Value::as_str) != Some(self.nonce.as_str()) {
            let hint = "use the text after `gemicro:` in the first line of the block that your last message asks for";
            return Err(format!("`nonce` does not belong to this step: {hint}"));
        }
        let Some(result) = arguments.shift_remove("result") else {
            return Err("`result` is missing: put the object there".to_owned());
        };
        match misfit(self.shape, &result) {
            None => Ok(result),
            Some(misfit) => Err(format!(
                "`result` cannot be used: {}",
                misfit.for_agent(self.shape, &result)
            )),
        }
    }

    /// Returns true if a result would open a gate.
    #[must_use]
    pub fn opens_gate(&self, result: &Value) -> bool {
        AgentPayload::new(self.shape, result.clone())
            .decision()
            .is_positive()
    }
}

impl Submissions {
    /// Accepts a call, and returns the reply to the agent.
    ///
    /// # Errors
    /// When the call cannot be accepted, or contradicts an earlier one.
    pub fn submit(&mut self, expected: &ExpectedSubmission, arguments: &str) -> Result<String, String> {
        let result = expected.accept(arguments)?;
        let is_known = self.kept.iter().any(|kept| json::same(kept, &result));
        if !is_known && self.kept.len() < MOST_KEPT {
            self.kept.push(result);
        }
        match self.kept.as_slice() {
            [_] => {
                Ok("Accepted. End your answer with the block; it must contain the same object.".to_owned())
            }
            _ => Err(
                "you already submitted a different result; because the two differ, neither counts".to_owned(),
            ),
        }
    }

    /// The results that count: one, or two that contradict each other.
    #[must_use]
    pub fn counted_results(&self) -> &[Value] {
        &self.kept
    }
}

fn result_schema(shape: PayloadShape) -> Value {
    let mut properties = Map::new();
    for key in shape.keys() {
        properties.insert((*key).to_owned(), field_schema(shape, key));
    }
    let text = |words: &str| json!({ "type": "string", "description": words });
    let mut required = shape.keys().to_vec();
    if shape.commits() {
        // An admitted failure has a reason and no commit.
        required = vec!["status"];
        properties.insert(
            "reason".to_owned(),
            text("What stopped you, if `status` is `failed`."),
        );
    }
    properties.insert(
        "feedback".to_owned(),
        json!({ "description": "Notes for the next agent: a string or an object. Required with REJECT." }),
    );
    properties.insert(
        "backlog_items".to_owned(),
        json!({ "type": "array", "items": { "type": "string" }, "description": "Ideas for later." }),
    );
    properties.insert(
        "lessons".to_owned(),
        json!({ "type": "array", "items": { "type": "string" }, "description": "What later agents should know." }),
    );
    if shape.commits() {
        let skill = json!({ "name": text("Lower-case letters, digits and hyphens."), "description": text("When to use it."), "body": text("The instructions, in Markdown.") });
        properties.insert(
            "skill".to_owned(),
            json!({ "type": "object", "properties": skill, "description": "Only if the prompt asks for it: a skill for later agents." }),
        );
    }
    json!({ "type": "object", "properties": properties, "required": required })
}

fn field_schema(shape: PayloadShape, key: &str) -> Value {
    match key {
        "verdict" => json!({ "type": "string", "enum": shape.verdicts() }),
        "status" => json!({ "type": "string", "enum": ["success", "failed"] }),
        "commit_hash" => json!({ "type": "string", "description": "The hash of your commit." }),
        _ => json!({ "type": "string", "description": "The path of your document in the repository." }),
    }
}
