//! The parameters for starting each kind of run. Missing ones have a default or come from the server's settings.

use std::path::{Path, PathBuf};

use gemicro_core::ask::AgentName;
use gemicro_engine::{BUDGET, StartPipelineParameters, StartResearchParameters, TASK_BRANCH};
use gemicro_event::{ErrorKind, Failure};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::start_words::{AgentPromptKind, OodaKind, PromptKind, SandboxChoice};

/// A run to start.
#[derive(Debug, Clone, PartialEq)]
pub enum StartRequest {
    /// A question, answered from sources with citations.
    Research(StartResearchParameters),
    /// A prompt for a coding agent.
    Ask(AskParameters),
    /// A prompt for a model.
    Prompt(StartPromptParameters),
    /// A coding task for a pipeline of agents.
    Pipeline(StartPipelineParameters),
    /// A loop that raises the test coverage of a project.
    Ooda(OodaParameters),
}

/// A prompt for a coding agent, and its limits.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AskParameters {
    /// Always `ask`, the kind of this request.
    pub kind: AgentPromptKind,
    /// The task, with all the background it needs.
    #[schemars(regex(pattern = r"\S"))]
    pub prompt: String,
    /// The folder to work in: an absolute path on the server.
    #[schemars(regex(pattern = r"^/"))]
    pub directory: PathBuf,
    /// The agent; by default the one that has the model, else `gemini`.
    #[serde(default)]
    pub agent: Option<AgentName>,
    /// The model; by default the agent chooses.
    #[serde(default)]
    pub model: Option<String>,
    /// Write access: `read-only`, `workspace-write` (the default) or `danger-full-access` (no sandbox).
    #[serde(default)]
    pub sandbox: SandboxChoice,
    /// Whether tools inside the sandbox need no approval.
    #[serde(default = "yes")]
    pub yolo: bool,
    /// Maximum silence of the agent, in seconds.
    #[serde(default = "usual_idle")]
    #[schemars(range(min = 1, max = 86_400))]
    pub idle_seconds: u32,
    /// Maximum total time, in seconds.
    #[serde(default = "usual_total")]
    #[schemars(range(min = 1, max = 86_400))]
    pub max_seconds: u32,
    /// Number of retries after a temporary failure.
    #[serde(default = "usual_retries")]
    #[schemars(range(min = 0, max = 10))]
    pub max_retries: u32,
    /// The branch of the folder's repository to work on; must start with `task/`.
    #[serde(default)]
    #[schemars(regex(pattern = TASK_BRANCH))]
    pub branch: Option<String>,
    /// Budget, such as `50k`, `$0.50` or `10m`.
    #[serde(default)]
    #[schemars(regex(pattern = BUDGET))]
    pub budget: Option<String>,
}

/// A prompt for a model.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PromptParameters")]
pub struct StartPromptParameters {
    /// Always `prompt`, the kind of this request.
    pub kind: PromptKind,
    /// The prompt.
    #[schemars(regex(pattern = r"\S"))]
    pub prompt: String,
    /// The backend: `gemini` or `openai`.
    #[serde(default)]
    #[schemars(regex(pattern = r"^(gemini|openai)$"))]
    pub backend: Option<String>,
    /// The model; the backend's default if absent.
    #[serde(default)]
    pub model: Option<String>,
    /// Budget, such as `50k`, `$0.50` or `10m`.
    #[serde(default)]
    #[schemars(regex(pattern = BUDGET))]
    pub budget: Option<String>,
}

/// A loop that raises the test coverage of a project. If a person must decide, the run asks and waits for a command.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OodaParameters {
    /// Always `ooda`, the kind of this request.
    pub kind: OodaKind,
    /// The configuration file of the loop: an absolute path on the server.
    #[schemars(regex(pattern = r"^/.*[^/]$"))]
    pub file: PathBuf,
    /// Whether to take the first gap of the ranking each time, without asking.
    #[serde(default)]
    pub auto: bool,
    /// Line coverage at which to stop, in percent.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 100.0))]
    pub target: Option<f64>,
    /// Maximum number of gaps to work on.
    #[serde(default)]
    #[schemars(range(min = 1, max = 1000))]
    pub rounds: Option<u32>,
    /// The branch for accepted tests; must start with `task/`.
    #[serde(default)]
    #[schemars(regex(pattern = TASK_BRANCH))]
    pub branch: Option<String>,
    /// The model that writes the tests.
    #[serde(default)]
    pub model: Option<String>,
    /// Budget, such as `50k`, `$0.50` or `10m`.
    #[serde(default)]
    #[schemars(regex(pattern = BUDGET))]
    pub budget: Option<String>,
}

fn yes() -> bool {
    true
}

fn usual_idle() -> u32 {
    300
}

fn usual_total() -> u32 {
    1_800
}

fn usual_retries() -> u32 {
    1
}

impl StartRequest {
    /// Checks rules of the schema that the types cannot express.
    ///
    /// # Errors
    /// `invalid_input` with the name of the field; `not_found` for a folder that does not exist.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        match self {
            Self::Research(it) => {
                let is_fine =
                    |source: &String| gemicro_engine::is_url(source) || Path::new(source).is_absolute();
                // Relative paths would be relative to the server's folder, which the caller does not know.
                if let Some(relative) = it.sources.iter().find(|source| !is_fine(source)) {
                    let message =
                        format!("`sources`: must be absolute paths or web addresses, not {relative}");
                    return Err(Failure::new(ErrorKind::InvalidInput, message));
                }
                require_text("question", &it.question)?;
                within("max_queries", it.max_queries, 1, 100)?;
                within("max_seconds", it.max_seconds, 1, 86_400)
            }
            Self::Ask(it) => {
                within("idle_seconds", Some(it.idle_seconds), 1, 86_400)?;
                within("max_seconds", Some(it.max_seconds), 1, 86_400)?;
                within("max_retries", Some(it.max_retries), 0, 10)?;
                require_text("prompt", &it.prompt)?;
                absolute("directory", &it.directory)
            }
            Self::Prompt(it) => require_text("prompt", &it.prompt),
            Self::Pipeline(it) => {
                require_text("task", &it.task)?;
                absolute("directory", &it.directory)
            }
            Self::Ooda(it) => {
                within("rounds", it.rounds, 1, 1_000)?;
                if it.target.is_some_and(|target| !(0.0..=100.0).contains(&target)) {
                    return Err(Failure::new(
                        ErrorKind::InvalidInput,
                        "`target` must be between 0 and 100",
                    ));
                }
                absolute("file", &it.file)
            }
        }
    }
}

fn within(name: &str, given: Option<u32>, least: u32, most: u32) -> Result<(), Failure> {
    match given {
        Some(given) if !(least..=most).contains(&given) => {
            let message = format!("`{name}` must be between {least} and {most}");
            Err(Failure::new(ErrorKind::InvalidInput, message))
        }
        Some(_) | None => Ok(()),
    }
}

fn require_text(name: &str, text: &str) -> Result<(), Failure> {
    if text.trim().is_empty() {
        let message = format!("`{name}`: must not be empty");
        return Err(Failure::new(ErrorKind::InvalidInput, message));
    }
    Ok(())
}

/// Checks that a path is absolute and exists: the caller does not know the server's working folder.
fn absolute(name: &str, path: &Path) -> Result<(), Failure> {
    if !path.is_absolute() {
        let message = format!("`{name}`: must be an absolute path, not {}", path.display());
        return Err(Failure::new(ErrorKind::InvalidInput, message));
    }
    if !path.exists() {
        let message = format!("`{name}`: {} does not exist on the server", path.display());
        return Err(Failure::new(ErrorKind::NotFound, message));
    }
    Ok(())
}
