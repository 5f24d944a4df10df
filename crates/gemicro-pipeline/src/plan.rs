//! The frozen input of a pipeline run.

use std::collections::{BTreeMap, BTreeSet};

use gemicro_core::ask::AgentName;
use gemicro_event::StreamId;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::documents::Feature;
use crate::payload::Nonce;
use crate::phase_decided::PhaseDecided;
use crate::steps::{Evidence, MergeOutcome, MergeResult};
use crate::workflow::{PipelineMode, Workflow};

/// A coding task with all inputs of its decisions, frozen when the run starts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PipelinePlan {
    /// The user's checkout, or a folder in it.
    pub directory: String,
    /// The task, in the user's words.
    pub task: String,
    /// How the task begins.
    pub mode: PipelineMode,
    /// Short name of the task, used in documents.
    pub feature: Feature,
    /// Name of the branch, without `refs/heads/`.
    pub branch: String,
    /// Whether the branch must have exactly this name.
    #[serde(default)]
    pub exact_branch: bool,
    /// The workflow, with its prompts.
    pub workflow: Workflow,
    /// The agent for roles that name none.
    pub agent: AgentName,
    /// The model of that agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The remote whose main branch is the target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remote: Option<String>,
    /// Whether to fail if the remote's main branch is unprotected.
    #[serde(default)]
    pub require_protection: bool,
    /// Whether to push the branch and submit it, if there is a remote.
    pub push: bool,
    /// Source of the nonces; agents never see it.
    pub seed: String,
    /// The earlier run that this one continues.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub earlier: Option<CarriedWork>,
    /// Changes made while the request became a plan.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
}

/// Work that a run inherits from an earlier one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CarriedWork {
    /// Id of the earlier run.
    pub run: StreamId,
    /// The phase to begin with.
    pub phase: String,
    /// The commit at which the branch began.
    pub base: String,
    /// Results of the checks on that commit.
    pub on_base: Evidence,
    /// The tree that the branch must still have, if no reviewer sees it again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<String>,
    /// The last merge of main.
    #[serde(flatten, with = "merge_fields")]
    pub merge: Option<LastMerge>,
    /// The latest document of each phase.
    pub documents: BTreeMap<String, String>,
    /// All documents, each with the commit that holds its phase's version.
    #[serde(default)]
    pub written: BTreeMap<String, String>,
    /// How many times each phase had been entered.
    pub rounds: BTreeMap<String, u32>,
    /// The phase that led to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Feedback of that phase.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feedback: Option<String>,
    /// Decisions of that run and the runs it continued.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decided: Vec<PhaseDecided>,
}

/// The last merge of main, and its state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LastMerge {
    /// Its conflicts are unresolved: the branch is as it was before the merge.
    Pending(MergeResult),
    /// The branch contains a resolution that was refused. Current versions never leave one there.
    Refused(MergeResult),
    /// The branch contains it.
    Held(MergeResult),
}

impl LastMerge {
    /// Returns the state of a new merge.
    #[must_use]
    pub fn from_merge(merged: MergeResult) -> Self {
        match merged.outcome {
            MergeOutcome::Conflict => Self::Pending(merged),
            MergeOutcome::UpToDate | MergeOutcome::Merged => Self::Held(merged),
        }
    }

    /// The merge, in any state.
    #[must_use]
    pub fn merged(&self) -> &MergeResult {
        let (Self::Pending(merged) | Self::Refused(merged) | Self::Held(merged)) = self;
        merged
    }
}

/// The plan's format for the last merge, in three fields.
mod merge_fields {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::LastMerge;
    use crate::steps::MergeResult;

    #[derive(Serialize, Deserialize)]
    struct MergeFields {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        merged: Option<MergeResult>,
        #[serde(default)]
        is_merging: bool,
        #[serde(default)]
        is_unresolved: bool,
    }

    pub(super) fn serialize<S: Serializer>(merge: &Option<LastMerge>, to: S) -> Result<S::Ok, S::Error> {
        let fields = MergeFields {
            merged: merge.as_ref().map(|merge| merge.merged().clone()),
            is_merging: matches!(merge, Some(LastMerge::Pending(_))),
            is_unresolved: matches!(merge, Some(LastMerge::Pending(_) | LastMerge::Refused(_))),
        };
        fields.serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<LastMerge>, D::Error> {
        let fields = MergeFields::deserialize(from)?;
        let as_it_is = match (fields.is_merging, fields.is_unresolved) {
            (true, _) => LastMerge::Pending,
            (false, true) => LastMerge::Refused,
            (false, false) => LastMerge::Held,
        };
        Ok(fields.merged.map(as_it_is))
    }
}

impl PipelinePlan {
    /// The agents of all roles that may be used.
    #[must_use]
    pub fn agents(&self) -> BTreeSet<AgentName> {
        let working = self.workflow.roles_of(self.mode);
        let roles = self.workflow.roles.iter();
        roles
            .filter(|(name, _)| working.contains(name.as_str()))
            .map(|(_, role)| role.agent.unwrap_or(self.agent))
            .collect()
    }

    /// The last merge of main before this run: one that the branch contains, or that this run must resolve.
    #[must_use]
    pub fn merged_before(&self) -> Option<&MergeResult> {
        let earlier = self.earlier.as_ref()?;
        match earlier.merge.as_ref()? {
            LastMerge::Pending(_) if !self.workflow.resolves(&earlier.phase) => None,
            merge => Some(merge.merged()),
        }
    }

    /// The nonce of a step. It cannot be predicted without the seed.
    #[must_use]
    pub fn nonce(&self, step: &str) -> Nonce {
        let digest = Sha256::digest(format!("{}\n{step}", self.seed));
        let hex: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        hex.parse().expect("sixteen hex digits are a nonce")
    }
}
