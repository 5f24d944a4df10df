//! The events of test proposals.

use gemicro_event::{Usage, event_payload, event_readers};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check::ProposalChecked;
use super::material::ProposalMaterial;

/// The material for the model is gathered. Once per target, before the first question about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TestMaterialGathered {
    /// The code and context that the model is shown.
    pub material: ProposalMaterial,
}
event_payload!(TestMaterialGathered, "test_material_gathered", |it| format!(
    "Read {}; lines to cover: {}",
    it.material.target,
    it.material.line_list()
));

/// A model answered with a test. Once per question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TestProposed {
    /// The target's number in the run, from 1.
    pub round: u32,
    /// Number of the question about this target, from 1.
    pub attempt: u32,
    /// Name of the model, as the provider knows it.
    pub model: String,
    /// The model's text, before it is parsed.
    pub answer: String,
    /// Token usage as reported.
    pub usage: Usage,
}
event_payload!(TestProposed, "test_proposed", |it| match it.attempt {
    1 => format!("{} proposed a test", it.model),
    n => format!("{} proposed a test (attempt {n})", it.model),
});

/// The patch of an answer was read and checked. Once per answer, in runs of `propose_test` and `refine_test`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TestChecked {
    /// Number of the answer, from 1.
    pub attempt: u32,
    /// The result of the check.
    pub checked: ProposalChecked,
}
event_payload!(TestChecked, "test_checked", |it| match it.checked.failure() {
    None => "The test can be used".to_owned(),
    Some(failure) => format!(
        "The test cannot be used yet: {}",
        failure.lines().next().unwrap_or_default()
    ),
});

event_readers! {
    /// Readers of the events of proposals.
    pub trait ProposalReaders {
        TestMaterialGathered => as_test_material_gathered, try_as_test_material_gathered;
        TestProposed => as_test_proposed, try_as_test_proposed;
        TestChecked => as_test_checked, try_as_test_checked;
    }

    /// Registers the events of proposals.
    pub fn register;
}
