//! The workflow data model: the content of its file, which a run freezes in its plan.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use gemicro_core::ask::{AgentName, TaskGrant};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::capability::WantedTool;
use crate::payload::PayloadShape;

/// How a coding task begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PipelineMode {
    /// With a diagnosis of the bug, before the plan.
    Bugfix,
    /// With research, before the plan.
    Research,
    /// With the plan, without research.
    #[default]
    Direct,
}

impl PipelineMode {
    /// Every mode, in documentation order.
    pub const ALL: [Self; 3] = [Self::Bugfix, Self::Research, Self::Direct];

    /// The name on command lines and in files.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Bugfix => "bugfix",
            Self::Research => "research",
            Self::Direct => "direct",
        }
    }
}

impl fmt::Display for PipelineMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A workflow that was parsed and checked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Workflow {
    /// Name of the workflow.
    pub name: String,
    /// The first phase of each mode.
    pub modes: BTreeMap<PipelineMode, String>,
    /// The roles, by name.
    pub roles: BTreeMap<String, Role>,
    /// The phases, in the order of the file.
    pub phases: Vec<Phase>,
    /// Checks that gemicro runs to verify the work.
    pub checks: Vec<Check>,
    /// Commands that set up a fresh checkout; run in the sandbox before anything else.
    pub setup: Vec<String>,
    /// Ignored paths of the user's checkout that are copied into the private one.
    pub carry: Vec<String>,
    /// Folders, relative to the checkout, that are kept between the steps of a task.
    pub caches: Vec<String>,
    /// Network access of gemicro's commands and the agents, besides the model.
    pub network: NetworkRule,
    /// How many times to ask again after an answer without a usable payload.
    pub max_asks: u32,
    /// Maximum tokens of the project's memory in a prompt.
    #[serde(default = "default_memory_tokens")]
    pub memory_tokens: u32,
    /// The prompt templates, by file name.
    pub prompts: BTreeMap<String, String>,
}

/// Maximum tokens of the project's memory in a prompt, unless the file says otherwise.
pub(super) fn default_memory_tokens() -> u32 {
    1_000
}

/// The agent that works in a phase, and its limits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Role {
    /// Display name.
    pub title: String,
    /// Format of its payload.
    pub shape: PayloadShape,
    /// The agent; by default the one that the user configured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentName>,
    /// The model; by default the agent's own default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Write access.
    pub sandbox: Writes,
    /// The tools it works with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<WantedTool>,
    /// File name of its prompt.
    pub prompt: String,
    /// Budget of one step.
    #[serde(default)]
    pub grant: TaskGrant,
    /// Maximum duration of one step, in milliseconds.
    pub total_ms: u64,
    /// Maximum silence before it is stopped, in milliseconds.
    pub idle_ms: u64,
}

/// Write access of a role.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Writes {
    /// The role may read files, but change none.
    ReadOnly,
    /// Only files below `docs/dev_docs/reviews/`.
    Reviews,
    /// Only files below `docs/dev_docs/`.
    Documents,
    /// Every file of the checkout.
    WorkspaceWrite,
}

/// A tool of agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Tool")]
pub enum AgentTool {
    /// Reads files and lists folders.
    Read,
    /// Creates, changes and deletes files.
    Edit,
    /// Runs commands in the sandbox.
    Shell,
    /// Searches the web for pages.
    WebSearch,
    /// Gemini CLI's codebase investigator.
    CodebaseInvestigator,
}

/// One stage of a workflow: its work, its checks and where it leads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Phase {
    /// Name in the file and in step keys.
    pub name: String,
    /// Display name, such as `A.1`.
    pub label: String,
    /// The work done in it.
    pub work: PhaseWork,
    /// Target of each outcome: `done`, `APPROVE`, `REJECT`, `ESCALATE`, `PASS`, `FAIL`, `merged`, `conflict`,
    /// `up_to_date`.
    pub edges: BTreeMap<String, EdgeTarget>,
    /// How many times it may be entered.
    pub rounds: u32,
    /// A question that a person must answer with yes before it begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub human: Option<String>,
}

/// The work done in a phase.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PhaseWork {
    /// An agent works in its sandbox.
    Agent {
        /// Name of the role, a key of `roles`.
        role: String,
        /// Artifacts that it may read.
        reads: Vec<Reads>,
        /// Path of the phase's document, with `[feat]` and `_v[N]`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        document: Option<String>,
    },
    /// Main is merged into the branch.
    Merge,
    /// Documents are archived, and the branch is pushed and submitted for merging.
    Deliver,
}

/// An artifact that a phase reads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reads {
    /// `request`, `diff`, `conflicts`, or the name of a phase, for its document.
    pub artifact: String,
    /// Whether it may be missing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub optional: bool,
}

/// Target of an edge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EdgeTarget {
    /// To the phase of this name.
    Phase(String),
    /// To the phase that led here.
    Back,
    /// To the end of the task.
    End,
}

/// A command whose success is evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Check {
    /// Display name.
    pub name: String,
    /// Shell command, run at the root of the checkout.
    pub command: String,
    /// Whether it runs tests: then a run without tests is not evidence.
    pub tests: bool,
    /// Maximum duration, in milliseconds.
    pub timeout_ms: u64,
}

/// Network access of commands, besides the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NetworkRule {
    /// No network access.
    #[default]
    None,
    /// Access to every address.
    Full,
}

impl Workflow {
    /// The names of the roles that may be used in this mode.
    #[must_use]
    pub fn roles_of(&self, mode: PipelineMode) -> BTreeSet<&str> {
        let phases = self.phases_of(mode).into_iter();
        phases
            .filter_map(|phase| match &phase.work {
                PhaseWork::Agent { role, .. } => Some(role.as_str()),
                PhaseWork::Merge | PhaseWork::Deliver => None,
            })
            .collect()
    }

    /// The phases that may be entered in this mode, in file order.
    #[must_use]
    pub fn phases_of(&self, mode: PipelineMode) -> Vec<&Phase> {
        let mut left: Vec<&str> = self.modes.get(&mode).map(String::as_str).into_iter().collect();
        let mut seen = BTreeSet::new();
        while let Some(phase) = left.pop().and_then(|name| self.phase(name)) {
            if seen.insert(phase.name.as_str()) {
                // An edge `back` only leads to where the task came from.
                left.extend(phase.edges.values().filter_map(|target| match target {
                    EdgeTarget::Phase(name) => Some(name.as_str()),
                    EdgeTarget::Back | EdgeTarget::End => None,
                }));
            }
        }
        let is_seen = |phase: &&Phase| seen.contains(phase.name.as_str());
        self.phases.iter().filter(is_seen).collect()
    }

    /// Whether a branch can be delivered, starting at a phase, without a code review.
    #[must_use]
    pub fn delivers_unreviewed(&self, from: &str) -> bool {
        let (mut left, mut seen) = (vec![from], BTreeSet::new());
        while let Some(phase) = left.pop().and_then(|name| self.phase(name)) {
            if phase.work == PhaseWork::Deliver {
                return true;
            }
            if self.reviews(&phase.name) || !seen.insert(phase.name.as_str()) {
                continue;
            }
            left.extend(phase.edges.values().filter_map(|target| match target {
                EdgeTarget::Phase(name) => Some(name.as_str()),
                EdgeTarget::Back | EdgeTarget::End => None,
            }));
        }
        false
    }

    /// Whether a phase reviews code.
    #[must_use]
    pub fn reviews(&self, phase: &str) -> bool {
        self.shape_of(phase) == Some(PayloadShape::Auditor)
    }

    /// Whether a phase resolves merge conflicts.
    #[must_use]
    pub fn resolves(&self, phase: &str) -> bool {
        self.shape_of(phase) == Some(PayloadShape::IntegrationSpecialist)
    }

    fn shape_of(&self, phase: &str) -> Option<PayloadShape> {
        match &self.phase(phase)?.work {
            PhaseWork::Agent { role, .. } => Some(self.roles.get(role)?.shape),
            PhaseWork::Merge | PhaseWork::Deliver => None,
        }
    }

    /// The phase with this name.
    #[must_use]
    pub fn phase(&self, name: &str) -> Option<&Phase> {
        self.phases.iter().find(|phase| phase.name == name)
    }
}
