//! The events of a test that is being proposed.

use gemicro_event::{Usage, event_payload, event_readers};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check::ProposalChecked;
use super::material::ProposalMaterial;

/// What the model is shown is gathered. Once per target, before the first question about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TestMaterialGathered {
    /// What it is shown.
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
    /// Which question about this target it answers, from 1.
    pub attempt: u32,
    /// Name of the model, as the provider knows it.
    pub model: String,
    /// What the model wrote, before it is parsed.
    pub answer: String,
    /// Tokens as reported.
    pub usage: Usage,
}
event_payload!(TestProposed, "test_proposed", |it| match it.attempt {
    1 => format!("{} proposed a test", it.model),
    n => format!("{} proposed a test (attempt {n})", it.model),
});

/// The patch of an answer was read and checked. Once per answer, in runs of `propose_test` and `refine_test`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TestChecked {
    /// Which answer, from 1.
    pub attempt: u32,
    /// What the check found.
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
