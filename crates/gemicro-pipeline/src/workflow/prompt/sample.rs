//! Renders a role's template with sample values: once with all optional values, once with none.

use super::context::{HandedOver, PromptContext};
use super::error::PromptError;
use super::render::{ENDING_FILE, render};
use crate::payload;
use crate::workflow::{PipelineMode, Role, Workflow};

/// A tag line that no real step has.
const TAG_LINE: &str = "```json gemicro:sample-of-a-nonce";

/// Renders a role's prompt with both samples.
pub(in super::super) fn try_out(workflow: &Workflow, role: &Role) -> Result<(), PromptError> {
    let example = payload::example(role.shape);
    for context in [full(), bare()] {
        let text = render(workflow, role, &context)?;
        for (variable, value) in [("tag_line", TAG_LINE), ("example", example.as_str())] {
            if !text.contains(value) {
                return Err(PromptError::NoPayloadAsked {
                    file: ENDING_FILE.to_owned(),
                    variable,
                });
            }
        }
    }
    Ok(())
}

/// A sample with all optional values.
pub(in super::super) fn full() -> PromptContext {
    let some = |text: &str| Some(text.to_owned());
    PromptContext {
        reads: vec![HandedOver {
            name: "plan".to_owned(),
            title: "the implementation plan".to_owned(),
            path: "docs/dev_docs/plans/plan_sample.md".to_owned(),
        }],
        document: some("docs/dev_docs/reviews/review_sample_v2.md"),
        feedback: some("Step 3 has no expected values."),
        remarks: some("A shorter name would do."),
        checks: vec!["make test".to_owned()],
        plan_sections: vec!["Test Scenarios".to_owned()],
        asked_again: some("the block held no verdict"),
        notes: some("Keep the public names."),
        memory: vec!["rule: Run the tests with make check.".to_owned()],
        skills: vec!["### change-log\n\nResolves conflicts of the change log.\n\nKeep both.".to_owned()],
        skill_wanted: true,
        round: 2,
        ..bare()
    }
}

/// A sample without optional values.
pub(in super::super) fn bare() -> PromptContext {
    PromptContext {
        request: "Add a sample.".to_owned(),
        mode: PipelineMode::Direct,
        feature: "sample".to_owned(),
        branch: "task/sample".to_owned(),
        label: "A.1".to_owned(),
        round: 1,
        reads: Vec::new(),
        document: None,
        feedback: None,
        remarks: None,
        checks: Vec::new(),
        plan_sections: Vec::new(),
        tag_line: TAG_LINE.to_owned(),
        asked_again: None,
        notes: None,
        memory: Vec::new(),
        skills: Vec::new(),
        skill_wanted: false,
    }
}
