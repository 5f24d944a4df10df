//! Everything that a pipeline's decisions depend on, frozen when the run begins.

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

/// A coding task with everything that deciding depends on; frozen when the run starts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PipelinePlan {
    /// The user's checkout, or a folder in it.
    pub directory: String,
    /// What is to be done, in the user's words.
    pub task: String,
    /// How it is entered.
    pub mode: PipelineMode,
    /// What it is called in documents.
    pub feature: Feature,
    /// Name of the branch, without `refs/heads/`.
    pub branch: String,
    /// The branch must have exactly this name.
    #[serde(default)]
    pub exact_branch: bool,
    /// The workflow, with its prompts.
    pub workflow: Workflow,
    /// Who works where the role does not say.
    pub agent: AgentName,
    /// The model of that agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The remote whose main is meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remote: Option<String>,
    /// A remote main without protection ends the task.
    #[serde(default)]
    pub require_protection: bool,
    /// Whether the branch is pushed and offered where there is a remote.
    pub push: bool,
    /// What nonces are made of; no agent ever sees it.
    pub seed: String,
    /// An earlier run that it goes on from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub earlier: Option<CarriedWork>,
    /// What was changed while the request became a plan.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
}

/// What a run brings along from an earlier one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CarriedWork {
    /// Id of the run that did this work.
    pub run: StreamId,
    /// The phase to begin with.
    pub phase: String,
    /// The commit that the branch began with.
    pub base: String,
    /// What the checks said about it.
    pub on_base: Evidence,
    /// The tree that the branch must still have, where no reviewer looks at it again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<String>,
    /// The last merge of main.
    #[serde(flatten, with = "merge_fields")]
    pub merge: Option<LastMerge>,
    /// The latest document of each phase.
    pub documents: BTreeMap<String, String>,
    /// Every document, and the commit in which it is as its phase left it.
    #[serde(default)]
    pub written: BTreeMap<String, String>,
    /// How often each phase had been entered.
    pub rounds: BTreeMap<String, u32>,
    /// The phase that had led there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// What it had to say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feedback: Option<String>,
    /// What was decided in that run, and in those that it went on from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decided: Vec<PhaseDecided>,
}

/// The last merge of main, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LastMerge {
    /// Its conflicts are still to be resolved: the branch is where it was before.
    Pending(MergeResult),
    /// The branch has a resolution in it that was refused. No version leaves one there any more.
    Refused(MergeResult),
    /// The branch has it in it, as it should be.
    Held(MergeResult),
}

impl LastMerge {
    /// What became of a merge that was just tried.
    #[must_use]
    pub fn from_merge(merged: MergeResult) -> Self {
        match merged.outcome {
            MergeOutcome::Conflict => Self::Pending(merged),
            MergeOutcome::UpToDate | MergeOutcome::Merged => Self::Held(merged),
        }
    }

    /// The merge, whatever became of it.
    #[must_use]
    pub fn merged(&self) -> &MergeResult {
        let (Self::Pending(merged) | Self::Refused(merged) | Self::Held(merged)) = self;
        merged
    }
}

/// How plans write the last merge, in three fields.
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
    /// The agents of the roles that can come to work.
    #[must_use]
    pub fn agents(&self) -> BTreeSet<AgentName> {
        let working = self.workflow.roles_of(self.mode);
        let roles = self.workflow.roles.iter();
        roles
            .filter(|(name, _)| working.contains(name.as_str()))
            .map(|(_, role)| role.agent.unwrap_or(self.agent))
            .collect()
    }

    /// The last merge of main before this run: one that the branch has in it, or that this run is to resolve.
    #[must_use]
    pub fn merged_before(&self) -> Option<&MergeResult> {
        let earlier = self.earlier.as_ref()?;
        match earlier.merge.as_ref()? {
            LastMerge::Pending(_) if !self.workflow.resolves(&earlier.phase) => None,
            merge => Some(merge.merged()),
        }
    }

    /// The nonce of a step: nobody who does not know the seed can tell it beforehand.
    #[must_use]
    pub fn nonce(&self, step: &str) -> Nonce {
        let digest = Sha256::digest(format!("{}\n{step}", self.seed));
        let hex: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        hex.parse().expect("sixteen hex digits are a nonce")
    }
}
