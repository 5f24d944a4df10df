//! What a run of each kind is started with. Whatever is not given is a setting of the server.

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

/// A prompt for a coding agent and how it may work.
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
    /// The model; without one the agent chooses.
    #[serde(default)]
    pub model: Option<String>,
    /// What may be written: `read-only`, `workspace-write` (the default) or `danger-full-access` (no sandbox).
    #[serde(default)]
    pub sandbox: SandboxChoice,
    /// Whether its tools need no approval inside the sandbox.
    #[serde(default = "yes")]
    pub yolo: bool,
    /// Seconds the agent may be silent.
    #[serde(default = "usual_idle")]
    #[schemars(range(min = 1, max = 86_400))]
    pub idle_seconds: u32,
    /// Seconds it may take in all.
    #[serde(default = "usual_total")]
    #[schemars(range(min = 1, max = 86_400))]
    pub max_seconds: u32,
    /// Further attempts after a failure that may pass.
    #[serde(default = "usual_retries")]
    #[schemars(range(min = 0, max = 10))]
    pub max_retries: u32,
    /// The branch of the folder's repository to work on; it begins with `task/`.
    #[serde(default)]
    #[schemars(regex(pattern = TASK_BRANCH))]
    pub branch: Option<String>,
    /// What it may use, such as `50k`, `$0.50` or `10m`.
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
    /// What the model or agent is asked.
    #[schemars(regex(pattern = r"\S"))]
    pub prompt: String,
    /// The backend that answers: `gemini` or `openai`.
    #[serde(default)]
    #[schemars(regex(pattern = r"^(gemini|openai)$"))]
    pub backend: Option<String>,
    /// The model, where it should not be the usual one.
    #[serde(default)]
    pub model: Option<String>,
    /// What it may use, such as `50k`, `$0.50` or `10m`.
    #[serde(default)]
    #[schemars(regex(pattern = BUDGET))]
    pub budget: Option<String>,
}

/// A loop that raises the test coverage of a project. Where a person decides, the run asks and is answered by a command.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OodaParameters {
    /// Always `ooda`, the kind of this request.
    pub kind: OodaKind,
    /// The file that says what is run: an absolute path on the server.
    #[schemars(regex(pattern = r"^/.*[^/]$"))]
    pub file: PathBuf,
    /// Take the first gap of the ranking each time, without asking.
    #[serde(default)]
    pub auto: bool,
    /// End when this part of the lines is covered, in percent.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 100.0))]
    pub target: Option<f64>,
    /// Gaps that are taken on at most.
    #[serde(default)]
    #[schemars(range(min = 1, max = 1000))]
    pub rounds: Option<u32>,
    /// The branch that accepted tests go to; it begins with `task/`.
    #[serde(default)]
    #[schemars(regex(pattern = TASK_BRANCH))]
    pub branch: Option<String>,
    /// The model that writes the tests.
    #[serde(default)]
    pub model: Option<String>,
    /// What it may use, such as `50k`, `$0.50` or `10m`.
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
    /// Checks what the schema says and a type cannot.
    ///
    /// # Errors
    /// `invalid_input` with the name of the field; `not_found` for a folder that is not there.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        match self {
            Self::Research(it) => {
                let is_fine =
                    |source: &String| gemicro_engine::is_url(source) || Path::new(source).is_absolute();
                // The server's own folder means nothing to the caller.
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
                        "`target` is between 0 and 100",
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
            let message = format!("`{name}` is between {least} and {most}");
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

/// The server's own folder means nothing to the caller.
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
