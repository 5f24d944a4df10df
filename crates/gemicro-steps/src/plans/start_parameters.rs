//! Parameters of research and coding tasks that are started over HTTP or MCP. Missing ones come from the settings.

use std::path::PathBuf;

use gemicro_core::ask::AgentName;
use gemicro_pipeline::workflow::PipelineMode;
use schemars::JsonSchema;
use serde::Deserialize;

/// A pattern that matches only valid budgets, such as `50k`, `$0.50` or `10m`.
pub const BUDGET: &str = r"^(\$([1-9][0-9]{0,3}(\.[0-9]{1,2})?|0\.[0-9]?[1-9])|[1-9][0-9]{0,5}[kMmsh])$";
/// A pattern that matches only valid branch names.
pub const TASK_BRANCH: &str = r"^task/[a-z0-9][a-z0-9-]{0,60}$";

/// A question for research.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ResearchParameters")]
pub struct StartResearchParameters {
    /// `research`, which is the default.
    #[serde(default)]
    pub kind: ResearchKind,
    /// The question, as the user wrote it.
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
    /// The model; by default the configured one.
    #[serde(default)]
    pub model: Option<String>,
    /// Whether the web may be searched; by default only without sources.
    #[serde(default)]
    pub web: Option<bool>,
    /// Maximum number of sub-queries that the question is split into.
    #[serde(default)]
    #[schemars(range(min = 1, max = 100))]
    pub max_queries: Option<u32>,
    /// Its budget, such as `50k`, `$0.50` or `10m`.
    #[serde(default)]
    #[schemars(regex(pattern = BUDGET))]
    pub budget: Option<String>,
    /// Maximum total time in seconds.
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
    /// The task description, with all background.
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
    /// The agent for phases whose workflow does not name one.
    #[serde(default)]
    pub agent: Option<AgentName>,
    /// The model of that agent.
    #[serde(default)]
    pub model: Option<String>,
    /// Push the branch and open a request to merge it.
    #[serde(default)]
    pub push: bool,
    /// Its budget, such as `2M`, `$5` or `2h`.
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
