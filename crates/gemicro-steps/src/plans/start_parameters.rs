//! What research and coding tasks are started with, over HTTP and over MCP. Whatever is not given is a setting.

use std::path::PathBuf;

use gemicro_core::ask::AgentName;
use gemicro_pipeline::workflow::PipelineMode;
use schemars::JsonSchema;
use serde::Deserialize;

/// A pattern for budgets that are surely understood, such as `50k`, `$0.50` or `10m`.
pub const BUDGET: &str = r"^(\$([1-9][0-9]{0,3}(\.[0-9]{1,2})?|0\.[0-9]?[1-9])|[1-9][0-9]{0,5}[kMmsh])$";
/// A pattern for names of branches that are surely understood.
pub const TASK_BRANCH: &str = r"^task/[a-z0-9][a-z0-9-]{0,60}$";

/// A question for research.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ResearchParameters")]
pub struct StartResearchParameters {
    /// `research`, which is the default.
    #[serde(default)]
    pub kind: ResearchKind,
    /// The question in the words of the user.
    #[schemars(regex(pattern = r"\S"))]
    pub question: String,
    /// Folders and files (absolute paths on the server) and web addresses to answer from.
    #[serde(default)]
    #[schemars(inner(regex(pattern = r"^(/|https?://)")))]
    pub sources: Vec<String>,
    /// Answer from the sources only, without a model.
    #[serde(default)]
    pub offline: bool,
    /// The model API or agent CLI that answers; `offline` uses none.
    #[serde(default)]
    #[schemars(regex(pattern = r"^(gemini|openai|deep-research|gemini-cli|claude|codex|offline)$"))]
    pub backend: Option<String>,
    /// The model, where it should not be the usual one.
    #[serde(default)]
    pub model: Option<String>,
    /// Whether the web may be searched; by default only without sources.
    #[serde(default)]
    pub web: Option<bool>,
    /// The most sub-queries that the question is split into.
    #[serde(default)]
    #[schemars(range(min = 1, max = 100))]
    pub max_queries: Option<u32>,
    /// What it may use, such as `50k`, `$0.50` or `10m`.
    #[serde(default)]
    #[schemars(regex(pattern = BUDGET))]
    pub budget: Option<String>,
    /// Seconds it may take in all.
    #[serde(default)]
    #[schemars(range(min = 1, max = 86_400))]
    pub max_seconds: Option<u32>,
}

/// A coding task and how it is carried out.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PipelineParameters")]
pub struct StartPipelineParameters {
    /// Always `pipeline`, the kind of this request.
    pub kind: PipelineKind,
    /// What is to be done, with all the background.
    #[schemars(regex(pattern = r"\S"))]
    pub task: String,
    /// A checkout of a git repository: an absolute path on the server. Only a new branch is added to it.
    #[schemars(regex(pattern = r"^/"))]
    pub directory: PathBuf,
    /// Begin with a diagnosis (`bugfix`), with research, or with the plan (`direct`, the default).
    #[serde(default)]
    pub mode: PipelineMode,
    /// The branch, which begins with `task/`; named after the task by default.
    #[serde(default)]
    #[schemars(regex(pattern = TASK_BRANCH))]
    pub branch: Option<String>,
    /// The agent where the workflow does not name one.
    #[serde(default)]
    pub agent: Option<AgentName>,
    /// The model of that agent.
    #[serde(default)]
    pub model: Option<String>,
    /// Push the branch and open a request to merge it.
    #[serde(default)]
    pub push: bool,
    /// What it may use, such as `2M`, `$5` or `2h`.
    #[serde(default)]
    #[schemars(regex(pattern = BUDGET))]
    pub budget: Option<String>,
}

/// The kind of research.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ResearchKind {
    /// A question, answered from sources.
    #[default]
    Research,
}

/// The kind of a coding task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PipelineKind {
    /// A coding task for a pipeline of agents.
    Pipeline,
}
