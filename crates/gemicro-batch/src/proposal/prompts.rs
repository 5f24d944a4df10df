//! The prompts for tests: files under `prompts/tests`, frozen into each run's plan.

use gemicro_core::budget::Purpose;
use gemicro_core::flow::Step;
use gemicro_core::llm::{LlmConfig, LlmRequest, llm_step};
use gemicro_core::template::fill;
use gemicro_event::StepKey;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::material::{ProposalMaterial, harmless};

/// Maximum size of the failure output that a model is shown, in bytes. The end is kept, where the reasons are.
const MOST_FAILURE_BYTES: usize = 8 * 1024;

/// A test that was tried, and its failure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EarlierTest {
    /// Its patch, or the answer that contains it.
    pub patch: String,
    /// The failure: a reason, or the output of the build or the test.
    pub failure: String,
}

/// The prompt texts of a run; frozen when it starts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestPrompts {
    /// The system prompt.
    pub system: String,
    /// Asks for a test; may use `{{target}}`, `{{lines}}`, `{{context}}` and `{{material}}`.
    pub propose: String,
    /// Asks for a better one; may also use `{{failure}}` and `{{patch}}`.
    pub refine: String,
}

impl Default for TestPrompts {
    fn default() -> Self {
        Self {
            system: include_str!("../../../../prompts/tests/system.md").to_owned(),
            propose: include_str!("../../../../prompts/tests/propose.md").to_owned(),
            refine: include_str!("../../../../prompts/tests/refine.md").to_owned(),
        }
    }
}

/// A question to the model.
#[derive(Debug, Clone, Copy)]
pub struct ProposalQuestion<'a> {
    /// The code and context that the model is shown.
    pub material: &'a ProposalMaterial,
    /// The user's notes about this part of the program.
    pub context: &'a str,
    /// An earlier test to improve.
    pub earlier: Option<&'a EarlierTest>,
}

impl TestPrompts {
    /// The step that asks the model.
    #[must_use]
    pub fn step(&self, key: StepKey, question: ProposalQuestion<'_>, llm: &LlmConfig) -> Step {
        let label = if question.earlier.is_some() {
            "refine_test"
        } else {
            "propose_test"
        };
        let request = LlmRequest {
            system: Some(self.system.clone()),
            ..LlmRequest::new(label, self.text(question), llm)
        };
        llm_step(key, &request, Purpose::Ordinary, llm)
    }

    fn text(&self, question: ProposalQuestion<'_>) -> String {
        let material = question.material;
        let (lines, shown) = (material.line_list(), material.prompt_text());
        let context = match question.context.trim() {
            "" => "not stated",
            context => context,
        };
        let mut values = vec![
            ("target", material.target.as_str()),
            ("lines", lines.as_str()),
            ("context", context),
            ("material", shown.as_str()),
        ];
        let Some(earlier) = question.earlier else {
            return fill(&self.propose, &values);
        };
        let (failure, patch) = (harmless(ending(&earlier.failure)), harmless(&earlier.patch));
        values.push(("failure", &failure));
        values.push(("patch", &patch));
        fill(&self.refine, &values)
    }
}

/// The end of a text, limited in size.
fn ending(text: &str) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(MOST_FAILURE_BYTES))..]
}
