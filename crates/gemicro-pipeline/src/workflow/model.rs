//! A workflow as data: what its file says, and what a run freezes in its plan.

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

/// A workflow that was read and checked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Workflow {
    /// What it is called.
    pub name: String,
    /// The first phase of each mode.
    pub modes: BTreeMap<PipelineMode, String>,
    /// The roles, by name.
    pub roles: BTreeMap<String, Role>,
    /// The phases, in the order of the file.
    pub phases: Vec<Phase>,
    /// What gemicro itself runs to see whether the work holds.
    pub checks: Vec<Check>,
    /// Commands that make a fresh checkout usable; run in the sandbox before anything else is.
    pub setup: Vec<String>,
    /// Ignored paths of the user's checkout that are copied into the private one.
    pub carry: Vec<String>,
    /// Folders, relative to the checkout, that outlive the steps of a task.
    pub caches: Vec<String>,
    /// What commands of gemicro and agents reach beside the model.
    pub network: NetworkRule,
    /// How often an answer without a usable payload is asked for again.
    pub max_asks: u32,
    /// The prompt templates, by file name.
    pub prompts: BTreeMap<String, String>,
}

/// Who works in a phase, and within which bounds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Role {
    /// The name on the screen.
    pub title: String,
    /// What its payload looks like.
    pub shape: PayloadShape,
    /// Which agent; without one the one the user configured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentName>,
    /// Which model; without one the agent's usual one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// What it may write.
    pub sandbox: Writes,
    /// The tools it works with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<WantedTool>,
    /// The file of its prompt.
    pub prompt: String,
    /// What one step of it may spend.
    #[serde(default)]
    pub grant: TaskGrant,
    /// All the time of one step, in milliseconds.
    pub total_ms: u64,
    /// The silence after which it is ended, in milliseconds.
    pub idle_ms: u64,
}

/// What a role may write.
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
    /// Gemini CLI's investigator of code.
    CodebaseInvestigator,
}

/// One stage of a workflow: its work, its checks and where it leads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Phase {
    /// Its name in the file and in step keys.
    pub name: String,
    /// Its name for people, such as `A.1`.
    pub label: String,
    /// What happens in it.
    pub work: PhaseWork,
    /// Where each outcome leads: `done`, `APPROVE`, `REJECT`, `ESCALATE`, `PASS`, `FAIL`, `merged`, `conflict`,
    /// `up_to_date`.
    pub edges: BTreeMap<String, EdgeTarget>,
    /// How often it may be entered.
    pub rounds: u32,
    /// A question that a person must answer with yes before it begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub human: Option<String>,
}

/// What happens in a phase.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PhaseWork {
    /// An agent works in its sandbox.
    Agent {
        /// Name of the role, a key of `roles`.
        role: String,
        /// What it is given to read.
        reads: Vec<Reads>,
        /// The document of the phase, with `[feat]` and `_v[N]`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        document: Option<String>,
    },
    /// Main is merged into the branch.
    Merge,
    /// Documents are archived, the branch is pushed and offered.
    Deliver,
}

/// Something that a phase is given to read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reads {
    /// `request`, `diff`, `conflicts`, or a phase whose document is meant.
    pub artifact: String,
    /// It may be missing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub optional: bool,
}

/// Where an edge leads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EdgeTarget {
    /// The phase of this name is next.
    Phase(String),
    /// To the phase that led here.
    Back,
    /// To the end of the task.
    End,
}

/// A command whose success is evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Check {
    /// Its name on the screen.
    pub name: String,
    /// A command of the shell, run at the top of the checkout.
    pub command: String,
    /// It runs tests: a run without tests is no evidence.
    pub tests: bool,
    /// The time it has, in milliseconds.
    pub timeout_ms: u64,
}

/// What commands reach beside the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NetworkRule {
    /// Commands of the role reach no network.
    #[default]
    None,
    /// Commands of the role reach every address.
    Full,
}

impl Workflow {
    /// The names of the roles that can come to work in a task that is entered in this way.
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

    /// The phases that a task can come to which is entered in this way, in the order of the file.
    #[must_use]
    pub fn phases_of(&self, mode: PipelineMode) -> Vec<&Phase> {
        let mut left: Vec<&str> = self.modes.get(&mode).map(String::as_str).into_iter().collect();
        let mut seen = BTreeSet::new();
        while let Some(phase) = left.pop().and_then(|name| self.phase(name)) {
            if seen.insert(phase.name.as_str()) {
                // An edge back leads only to where the task came from.
                left.extend(phase.edges.values().filter_map(|target| match target {
                    EdgeTarget::Phase(name) => Some(name.as_str()),
                    EdgeTarget::Back | EdgeTarget::End => None,
                }));
            }
        }
        let is_seen = |phase: &&Phase| seen.contains(phase.name.as_str());
        self.phases.iter().filter(is_seen).collect()
    }

    /// Whether a branch can be delivered from a phase on without a reviewer looking at its code.
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

    /// Whether a reviewer of code works in a phase.
    #[must_use]
    pub fn reviews(&self, phase: &str) -> bool {
        self.shape_of(phase) == Some(PayloadShape::Auditor)
    }

    /// Whether the conflicts of a merge are resolved in a phase.
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
