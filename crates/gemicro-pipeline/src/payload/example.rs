//! The example of a payload that a prompt shows. It can never be mistaken for an answer.
//!
//! Every value of an example is a placeholder in angle brackets, so that an agent that copies it is recognised.

use serde_json::{Map, Value};

use super::nonce::Nonce;
use super::shape::PayloadShape;

/// Returns the line that opens the block of this step.
#[must_use]
pub fn tag_line(nonce: &Nonce) -> String {
    format!("```json gemicro:{nonce}")
}

/// Returns the example object for a role: one line of JSON with only placeholders.
#[must_use]
pub fn example(shape: PayloadShape) -> String {
    let mut members = Map::new();
    for key in shape.keys() {
        members.insert((*key).to_owned(), Value::String(placeholder(shape, key)));
    }
    if shape.verdicts().contains(&"REJECT") {
        members.insert("feedback".to_owned(), Value::from("<needed for REJECT>"));
    }
    Value::Object(members).to_string()
}

fn placeholder(shape: PayloadShape, key: &str) -> String {
    match key {
        "verdict" => format!("<{}>", shape.verdicts().join("|")),
        "status" => "<success>".to_owned(),
        "report_path" => "<path of the report>".to_owned(),
        "plan_path" => "<path of the plan>".to_owned(),
        "review_path" => "<path of the review>".to_owned(),
        _ if shape == PayloadShape::IntegrationSpecialist => "<hash of the merge commit>".to_owned(),
        _ => "<hash of your last commit>".to_owned(),
    }
}
