//! `research`: a question, answered from sources with citations.

use std::path::Path;

use gemicro_engine::{ResearchKind, StartResearchParameters};
use gemicro_event::Failure;
use rmcp::ErrorData;
use rmcp::model::{CallToolResponse, JsonObject, Tool, ToolAnnotations};
use serde_json::json;

use super::call::{McpToolCall, StartedCall, withdrawn};
use super::schema;
use crate::answer::McpAnswer;
use crate::arguments::{Arguments, wrong};
use crate::run_answer::{self, RESEARCH};

const PARAMETERS: [&str; 9] = [
    "question",
    "sources",
    "offline",
    "backend",
    "model",
    "web",
    "max_queries",
    "budget",
    "max_duration",
];
const MAX_QUERIES: u32 = 100;
const MAX_SECONDS: u32 = 86_400;

/// The definition of the tool.
pub(super) fn definition() -> Tool {
    let properties = json!({
        "question": { "type": "string", "description": "The question" },
        "sources": {
            "type": "array", "items": { "type": "string" },
            "description": "Folders and files (absolute paths) and web addresses to answer from",
        },
        "offline": { "type": "boolean", "default": false, "description": "Answer only from the sources, without a model" },
        "backend": { "type": "string", "enum": ["gemini", "openai", "deep-research", "gemini-cli", "claude", "codex", "offline"], "description": "The backend that answers" },
        "model": { "type": "string", "description": "The model, if not the default one" },
        "web": { "type": "boolean", "description": "Search the web; by default only without sources" },
        "max_queries": { "type": "integer", "minimum": 1, "maximum": MAX_QUERIES, "description": "Maximum number of sub-queries" },
        "budget": { "type": "string", "description": "What it may use: tokens 50k, money $0.50 or time 10m" },
        "max_duration": { "type": "integer", "minimum": 1, "maximum": MAX_SECONDS, "description": "Maximum seconds in total" },
    });
    let description = "Answers a question from documents or the web, with citations that were checked against their \
                       source. The answer is in `result`, its sources in `citations`. After error_kind \
                       `still_running` fetch it with run_result.";
    Tool::new(RESEARCH, description, schema::object(properties, &["question"]))
        .with_title("Research with citations")
        .with_annotations(ToolAnnotations::new().read_only(true).open_world(true))
}

pub(super) async fn call(
    mut call: McpToolCall,
    arguments: Option<JsonObject>,
) -> Result<CallToolResponse, ErrorData> {
    let plan = read(arguments).and_then(|parameters| (call.setup.research)(parameters));
    let plan = match plan {
        Ok(plan) => plan,
        Err(failure) => return Ok(McpAnswer::failure(RESEARCH, &failure).into()),
    };
    let answer = match call.start(plan, None).await? {
        Ok(StartedCall::Ended(events)) => run_answer::ended_answer(&events),
        Ok(StartedCall::GoesOn(run, events)) => run_answer::goes_on(&run, &events),
        Ok(StartedCall::Task(task)) => return Ok(*task),
        Ok(StartedCall::Withdrawn) => withdrawn(RESEARCH),
        Err(failure) => McpAnswer::failure(RESEARCH, &failure),
    };
    Ok(answer.into())
}

fn read(arguments: Option<JsonObject>) -> Result<StartResearchParameters, Failure> {
    let arguments = Arguments::new(arguments, &PARAMETERS)?;
    let sources = arguments.texts("sources")?;
    // The server's own folder means nothing to the caller.
    if let Some(relative) = sources
        .iter()
        .find(|source| !gemicro_engine::is_url(source) && !Path::new(source).is_absolute())
    {
        let why = format!("must be absolute paths or web addresses, not {relative}");
        return Err(wrong("sources", &why));
    }
    Ok(StartResearchParameters {
        kind: ResearchKind::Research,
        question: arguments.required("question")?,
        sources,
        offline: arguments.flag("offline")?.unwrap_or(false),
        backend: arguments.text("backend")?,
        model: arguments.text("model")?,
        web: arguments.flag("web")?,
        max_queries: arguments.number("max_queries", 1..=MAX_QUERIES)?,
        budget: arguments.text("budget")?,
        max_seconds: arguments.number("max_duration", 1..=MAX_SECONDS)?,
    })
}
