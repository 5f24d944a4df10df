//! The required fields of each role's payload.
//!
//! The main type is [`PayloadShape`]. `fit` checks objects against a shape; prompts explain it to agents.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The format of a role's payload.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Shape")]
pub enum PayloadShape {
    /// A bug report: `report_path`.
    Investigator,
    /// A research report: `report_path`.
    Researcher,
    /// A verdict on a report: `verdict`.
    LeadAnalyst,
    /// The path of a plan: `plan_path`.
    Architect,
    /// A verdict on a plan: `verdict`.
    PlanReviewer,
    /// Committed work: `commit_hash`, `status`.
    Developer,
    /// A verdict on committed work: `verdict`, `review_path`.
    Auditor,
    /// A merge: `status`, `commit_hash`.
    IntegrationSpecialist,
}

/// The text is not the name of a shape.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no role `{name}`; use one of {}", PayloadShape::ALL.map(PayloadShape::as_str).join(", "))]
pub struct UnknownShape {
    /// The given text, cut to a printable length.
    pub name: String,
}

impl PayloadShape {
    /// All shapes, in the order of the pipeline.
    pub const ALL: [Self; 8] = [
        Self::Investigator,
        Self::Researcher,
        Self::LeadAnalyst,
        Self::Architect,
        Self::PlanReviewer,
        Self::Developer,
        Self::Auditor,
        Self::IntegrationSpecialist,
    ];

    /// The name in workflow files and on the command line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Investigator => "investigator",
            Self::Researcher => "researcher",
            Self::LeadAnalyst => "lead_analyst",
            Self::Architect => "architect",
            Self::PlanReviewer => "plan_reviewer",
            Self::Developer => "developer",
            Self::Auditor => "auditor",
            Self::IntegrationSpecialist => "integration_specialist",
        }
    }

    /// The required keys, in the order of the prompt.
    #[must_use]
    pub const fn keys(self) -> &'static [&'static str] {
        match self {
            Self::Investigator | Self::Researcher => &["report_path"],
            Self::LeadAnalyst | Self::PlanReviewer => &["verdict"],
            Self::Architect => &["plan_path"],
            Self::Developer => &["commit_hash", "status"],
            Self::Auditor => &["verdict", "review_path"],
            Self::IntegrationSpecialist => &["status", "commit_hash"],
        }
    }

    /// The allowed values of `verdict`; empty for a role without a verdict.
    #[must_use]
    pub const fn verdicts(self) -> &'static [&'static str] {
        match self {
            Self::LeadAnalyst => &["APPROVE", "REJECT", "ESCALATE"],
            Self::PlanReviewer => &["APPROVE", "REJECT"],
            Self::Auditor => &["PASS", "FAIL"],
            Self::Investigator
            | Self::Researcher
            | Self::Architect
            | Self::Developer
            | Self::IntegrationSpecialist => &[],
        }
    }

    /// The key for the path of the role's document.
    #[must_use]
    pub const fn document_key(self) -> Option<&'static str> {
        match self {
            Self::Investigator | Self::Researcher => Some("report_path"),
            Self::Architect => Some("plan_path"),
            Self::Auditor => Some("review_path"),
            Self::LeadAnalyst | Self::PlanReviewer | Self::Developer | Self::IntegrationSpecialist => None,
        }
    }

    /// Whether the role submits a commit, and so may report that it failed.
    #[must_use]
    pub const fn commits(self) -> bool {
        match self {
            Self::Developer | Self::IntegrationSpecialist => true,
            Self::Investigator
            | Self::Researcher
            | Self::LeadAnalyst
            | Self::Architect
            | Self::PlanReviewer
            | Self::Auditor => false,
        }
    }
}

impl fmt::Display for PayloadShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for PayloadShape {
    type Err = UnknownShape;

    fn from_str(name: &str) -> Result<Self, UnknownShape> {
        Self::ALL
            .into_iter()
            .find(|shape| shape.as_str() == name)
            .ok_or_else(|| UnknownShape {
                name: name.chars().take(64).collect(),
            })
    }
}
