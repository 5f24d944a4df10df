//! Results that agents hand in by their tool.

use gemicro_pipeline::workflow::PipelineMode;
use serde_json::{Value, json};

use super::in_hand::{Pipeline, REVIEW, begun, developed, outcomes, planned, prompt, submits, tag_of, taken};

const STEP: &str = "audit.1:agent.1";

fn pass() -> Value {
    json!({ "verdict": "PASS", "review_path": REVIEW })
}

fn in_audit() -> Pipeline {
    let mut pipeline = begun(PipelineMode::Direct);
    planned(&mut pipeline);
    developed(&mut pipeline, 1, "tree-1");
    pipeline
}

#[test]
fn a_step_says_what_it_expects() {
    let pipeline = in_audit();
    let input: Value = pipeline.step(STEP).input.parse().unwrap();
    let nonce = input["expected"]["nonce"].as_str().unwrap();
    assert_eq!(input["expected"]["shape"], "auditor");
    assert_eq!(tag_of(&pipeline, STEP), format!("```json gemicro:{nonce}"));
    assert!(prompt(&pipeline, STEP).contains("`submit_result`"));
}

#[test]
fn a_submission_alone_is_an_answer() {
    let mut pipeline = in_audit();
    submits(&mut pipeline, STEP, &pass(), "I am done.");
    pipeline.complete("audit.1:import", &taken("tree-1"));
    assert_eq!(outcomes(&pipeline).last().unwrap(), "audit.1 PASS");
}

#[test]
fn a_submission_and_a_block_that_differ_are_asked_for_again() {
    let fail = json!({ "verdict": "FAIL", "review_path": REVIEW });
    for (submitted, block) in [(pass(), &fail), (fail.clone(), &pass())] {
        let mut pipeline = in_audit();
        let text = format!("{}\n{block}\n```\n", tag_of(&pipeline, STEP));
        submits(&mut pipeline, STEP, &submitted, &text);
        let again = prompt(&pipeline, "audit.1:agent.2");
        assert!(again.contains("two results that differ"), "{again}");
    }
}
