//! `gemini`, `claude`, `codex`: one prompt for one coding agent. Parameters, defaults and answers are a contract.

use std::path::{Path, PathBuf};
use std::time::Duration;

use gemicro_core::ask::{
    AgentName, AskFlow, AskPlan, SandboxMode, ToolAnswer, ToolExtras, ToolMetrics, route,
};
use gemicro_core::budget::Limits;
use gemicro_engine::{AskRequest, Plan, Request};
use gemicro_event::{ErrorKind, Event, Failure};
use rmcp::ErrorData;
use rmcp::model::{CallToolResponse, JsonObject, Tool, ToolAnnotations};
use serde_json::json;

use super::call::{AtEnd, McpToolCall, StartedCall, withdrawn};
use super::schema;
use crate::answer::McpAnswer;
use crate::arguments::{Arguments, wrong};

const PARAMETERS: [&str; 12] = [
    "PROMPT",
    "cd",
    "sandbox",
    "yolo",
    "SESSION_ID",
    "model",
    "return_all_messages",
    "return_metrics",
    "timeout",
    "max_duration",
    "max_retries",
    "log_metrics",
];
const IDLE_S: u32 = 300;
const TOTAL_S: u32 = 1_800;
const RETRIES: u32 = 1;
const MAX_SECONDS: u32 = 86_400;
const MAX_RETRIES: u32 = 10;
/// The contract's default; the model was shut down and is mapped to its successor.
const GEMINI_MODEL: &str = "gemini-3-pro-preview";

const SANDBOXES: [(&str, SandboxMode); 3] = [
    ("read-only", SandboxMode::ReadOnly),
    ("workspace-write", SandboxMode::WorkspaceWrite),
    ("danger-full-access", SandboxMode::DangerFullAccess),
];

/// A parsed and checked call.
struct AgentCall {
    request: AskRequest,
    extras: ToolExtras,
    log_metrics: bool,
}

/// The definition of the tool.
pub(super) fn definition(agent: AgentName) -> Tool {
    let mut model = json!({ "type": "string", "description": "The model" });
    match agent {
        AgentName::Gemini => model["default"] = json!(GEMINI_MODEL),
        AgentName::Claude | AgentName::Codex => {
            model["description"] = json!("The model; without one the agent chooses");
        }
    }
    let words: Vec<&str> = SANDBOXES.iter().map(|(word, _)| *word).collect();
    let properties = json!({
        "PROMPT": { "type": "string", "description": "The task, with all the background it needs" },
        "cd": { "type": "string", "description": "The folder to work in: an absolute path" },
        "sandbox": {
            "type": "string", "enum": words, "default": "workspace-write",
            "description": "What may be written: read-only for advice, workspace-write for work in cd",
        },
        "yolo": { "type": "boolean", "default": true, "description": "Use tools without approval, inside the sandbox" },
        "SESSION_ID": { "type": "string", "description": "The SESSION_ID of an earlier answer, to continue that conversation; one that is unknown starts a new one, and `note` says so" },
        "model": model,
        "return_all_messages": { "type": "boolean", "default": false, "description": "Also return what the agent printed, as all_messages; for debugging" },
        "return_metrics": { "type": "boolean", "default": false, "description": "Also return figures (tokens, cost, time), as metrics" },
        "timeout": { "type": "integer", "minimum": 1, "maximum": MAX_SECONDS, "default": IDLE_S, "description": "Maximum seconds without output" },
        "max_duration": { "type": "integer", "minimum": 1, "maximum": MAX_SECONDS, "default": TOTAL_S, "description": "Maximum seconds in total" },
        "max_retries": { "type": "integer", "minimum": 0, "maximum": MAX_RETRIES, "default": RETRIES, "description": "Further attempts after a failure that may pass" },
        "log_metrics": { "type": "boolean", "default": false, "description": "Write the figures to the server's stderr" },
    });
    let program = agent.title();
    let description = format!(
        "Gives one task to {program}, a coding agent that works on its own in a folder, inside a sandbox: advice, \
         review or work. Check `success`; keep SESSION_ID to continue. After error_kind `still_running` fetch the answer \
         with run_result."
    );
    Tool::new(
        agent.as_str(),
        description,
        schema::object(properties, &["PROMPT", "cd"]),
    )
    .with_title(format!("Ask {program}"))
    .with_raw_output_schema(schema::agent_answer())
    .with_annotations(
        ToolAnnotations::new()
            .read_only(false)
            .destructive(true)
            .idempotent(false)
            .open_world(true),
    )
}

pub(super) async fn call(
    agent: AgentName,
    mut call: McpToolCall,
    arguments: Option<JsonObject>,
) -> Result<CallToolResponse, ErrorData> {
    let tool = agent.as_str();
    let asked = match AgentCall::read(agent, arguments) {
        Ok(asked) => asked,
        Err(failure) => {
            return Ok(refuse_call(
                tool,
                &failure,
                ToolExtras::default(),
                default_limits(),
            ));
        }
    };
    let extras = asked.extras;
    let limits = (millis(asked.request.idle), millis(asked.request.total));
    let fallback = call.setup.fallback.clone().filter(|named| named != tool);
    let request = AskRequest {
        turn: None,
        fallback,
        ..asked.request
    };
    let plan = match plan_request(request) {
        Ok(plan) => plan,
        Err(failure) => return Ok(refuse_call(tool, &failure, extras, limits)),
    };
    let log = asked.log_metrics.then(|| call.setup.log.clone());
    let at_end = log.map(|log| -> AtEnd {
        Box::new(move |events: &[Event]| {
            if let Ok(metrics) = serde_json::to_string(&ToolMetrics::of(events)) {
                log(&format!("metrics {metrics}"));
            }
        })
    });
    let answer = match call.start(plan, at_end).await? {
        Ok(StartedCall::Ended(events)) => match ToolAnswer::of(&events) {
            Some(answer) => answer.with_extras(extras, &events),
            None => {
                let failure = Failure::new(ErrorKind::Internal, "the run left no readable events");
                return Ok(refuse_call(tool, &failure, extras, limits));
            }
        },
        Ok(StartedCall::GoesOn(run, events)) => {
            ToolAnswer::still_running(tool, &run, limits, call.began.elapsed()).with_extras(extras, &events)
        }
        Ok(StartedCall::Task(task)) => return Ok(*task),
        Ok(StartedCall::Withdrawn) => return Ok(withdrawn(tool).into()),
        Err(failure) => return Ok(refuse_call(tool, &failure, extras, limits)),
    };
    Ok(McpAnswer::of_tool(&answer).into())
}

/// The plan of a request. A missing session starts anew, because the caller cannot know which sessions exist.
fn plan_request(request: AskRequest) -> Result<Plan, Failure> {
    let plan = Plan::of(&Request::Ask(Box::new(request)))?;
    let mut ask: AskPlan = plan.read()?;
    ask.task.begins_anew = ask.task.session.is_some();
    Ok(Plan::new(&AskFlow, &ask, plan.limits))
}

fn refuse_call(tool: &str, failure: &Failure, extras: ToolExtras, limits: (u64, u64)) -> CallToolResponse {
    let answer = ToolAnswer::failure(tool, failure, limits, 0, Duration::ZERO);
    McpAnswer::of_tool(&answer.with_extras(extras, &[])).into()
}

impl AgentCall {
    fn read(agent: AgentName, arguments: Option<JsonObject>) -> Result<Self, Failure> {
        let arguments = Arguments::new(arguments, &PARAMETERS)?;
        let seconds = |name: &str, default: u32| {
            let given = arguments.number(name, 1..=MAX_SECONDS)?;
            Ok::<_, Failure>(Duration::from_secs(u64::from(given.unwrap_or(default))))
        };
        let is_set = |name: &str| Ok::<_, Failure>(arguments.flag(name)?.unwrap_or(false));
        let all_messages = is_set("return_all_messages")?;
        let request = AskRequest {
            turn: None,
            prompt: arguments.required("PROMPT")?,
            agent: Some(agent),
            model: nonempty(arguments.text("model")?),
            directory: folder(&arguments.required("cd")?)?,
            sandbox: arguments.choice("sandbox", &SANDBOXES)?.unwrap_or_default(),
            yolo: arguments.flag("yolo")?.unwrap_or(true),
            session: nonempty(arguments.text("SESSION_ID")?),
            idle: seconds("timeout", IDLE_S)?,
            total: seconds("max_duration", TOTAL_S)?,
            max_retries: arguments
                .number("max_retries", 0..=MAX_RETRIES)?
                .unwrap_or(RETRIES),
            limits: Limits::default(),
            fallback: None,
            keep_messages: all_messages,
            branch: None,
        };
        route(Some(agent), request.model.as_deref()).map_err(|failure| Failure {
            message: format!("`model`: {}", failure.message),
            ..failure
        })?;
        Ok(Self {
            request,
            extras: ToolExtras {
                all_messages,
                metrics: is_set("return_metrics")?,
            },
            log_metrics: is_set("log_metrics")?,
        })
    }
}

/// Callers that must give every parameter pass an empty string for none.
fn nonempty(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.trim().is_empty())
}

/// Requires an absolute path: the server's own folder means nothing to the caller.
pub(super) fn folder(named: &str) -> Result<PathBuf, Failure> {
    let path = Path::new(named);
    if !path.is_absolute() {
        return Err(wrong("cd", &format!("must be an absolute path, not {named}")));
    }
    match std::fs::metadata(path) {
        Ok(found) if found.is_dir() => Ok(path.to_owned()),
        Ok(_) => Err(wrong("cd", &format!("must be a folder; {named} is not one"))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let message = format!("`cd`: the folder {named} does not exist");
            Err(Failure::new(ErrorKind::NotFound, message))
        }
        Err(error) => Err(wrong("cd", &format!("cannot be used: {named}: {error}"))),
    }
}

fn default_limits() -> (u64, u64) {
    (u64::from(IDLE_S) * 1_000, u64::from(TOTAL_S) * 1_000)
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
