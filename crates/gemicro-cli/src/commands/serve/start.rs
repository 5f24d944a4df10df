//! A run to start as a plan, under the settings of the server.

use std::time::Duration;

use gemicro_core::budget::Limits;
use gemicro_engine::{AskRequest, PipelineRequest, Plan, PromptRequest, Request, StartPipelineParameters};
use gemicro_event::{ErrorKind, Failure};
use gemicro_http::{AskParameters, OodaParameters, StartPromptParameters, StartRequest};

use crate::answer_source::GateArgs;
use crate::args::DataFormat;
use crate::backend;
use crate::command_error::CommandError;
use crate::commands::mcp;
use crate::commands::ooda::{self, OodaArgs};
use crate::commands::{batch, run};
use crate::config::readers::parse_budget;
use crate::config::{Endpoints, ResearchFlags, ResearchSettings};
use crate::session::Context;
use crate::workflow_file;

/// Letters of a prompt in lists.
const TITLE_CHARS: usize = 80;

/// What will be done.
///
/// # Errors
/// When a parameter is wrong, or what the run needs is missing on this machine.
pub(super) fn plan(ctx: &Context, request: StartRequest) -> Result<Plan, Failure> {
    match request {
        StartRequest::Research(parameters) => mcp::plan(ctx, parameters),
        StartRequest::Ask(parameters) => ask(parameters),
        StartRequest::Prompt(parameters) => prompt(ctx, parameters),
        StartRequest::Pipeline(parameters) => pipeline(ctx, parameters),
        StartRequest::Ooda(parameters) => ooda_loop(ctx, parameters),
    }
}

fn ask(it: AskParameters) -> Result<Plan, Failure> {
    Plan::of(&Request::Ask(Box::new(AskRequest {
        limits: budget(it.budget.as_deref())?.unwrap_or(Limits::NONE),
        prompt: it.prompt,
        agent: it.agent,
        model: it.model,
        directory: it.directory,
        sandbox: it.sandbox.into(),
        yolo: it.yolo,
        session: None,
        idle: Duration::from_secs(u64::from(it.idle_seconds)),
        total: Duration::from_secs(u64::from(it.max_seconds)),
        max_retries: it.max_retries,
        fallback: None,
        keep_messages: false,
        branch: it.branch,
        turn: None,
    })))
}

fn prompt(ctx: &Context, it: StartPromptParameters) -> Result<Plan, Failure> {
    let backend = it.backend.as_deref().map(str::parse).transpose();
    let flags = ResearchFlags {
        backend: backend.map_err(|why: String| wrong("backend", &why))?,
        model: it.model.map(Some),
        budget: budget(it.budget.as_deref())?,
        ..ResearchFlags::default()
    };
    let resolved = || -> Result<_, CommandError> {
        let layers = ctx.layers()?;
        let settings = ResearchSettings::resolve(&layers, flags)?;
        let llm = batch::llm(&settings)?;
        backend::choose(&settings, &ctx.environment, &Endpoints::resolve(&layers)?)?;
        Ok((llm, settings.limits()?))
    };
    let (llm, limits) = resolved().map_err(CommandError::into_failure)?;
    Plan::of(&Request::Prompt(Box::new(PromptRequest {
        title: it.prompt.chars().take(TITLE_CHARS).collect(),
        label: String::new(),
        prompt: it.prompt,
        earlier: None,
        llm,
        limits,
        conversation: None,
        recall: false,
    })))
}

/// A coding task by the workflow of its project.
///
/// # Errors
/// When a parameter is wrong, or an agent cannot work here.
pub(crate) fn pipeline(ctx: &Context, it: StartPipelineParameters) -> Result<Plan, Failure> {
    let limits = budget(it.budget.as_deref())?.unwrap_or(Limits::NONE);
    let workflow =
        workflow_file::load(None, &it.directory).map_err(|wrong| CommandError::from(wrong).into_failure())?;
    let plan = Plan::of(&Request::Pipeline(Box::new(PipelineRequest {
        task: it.task,
        mode: it.mode,
        directory: it.directory,
        branch: it.branch,
        workflow,
        agent: it.agent,
        model: it.model,
        remote: None,
        require_protection: false,
        push: it.push,
        limits,
    })))?;
    run::ready(ctx, &plan).map_err(CommandError::into_failure)?;
    Ok(plan)
}

fn ooda_loop(ctx: &Context, it: OodaParameters) -> Result<Plan, Failure> {
    let args = OodaArgs {
        budget: budget(it.budget.as_deref())?.into_iter().collect(),
        file: it.file,
        auto: it.auto,
        gates: GateArgs {
            decide: None,
            wait: true,
        },
        target: it.target,
        max_duration: None,
        rounds: it.rounds,
        backend: None,
        model: it.model,
        branch: it.branch,
        format: DataFormat::Json,
        record: None,
        dry_run: false,
    };
    let planned = || -> Result<Plan, CommandError> {
        let planned = ooda::plan_loop(ctx, &args)?;
        ooda::check_backend(ctx, &planned)?;
        Ok(planned.plan)
    };
    planned().map_err(CommandError::into_failure)
}

fn budget(text: Option<&str>) -> Result<Option<Limits>, Failure> {
    text.map(parse_budget)
        .transpose()
        .map_err(|why| wrong("budget", &why))
}

fn wrong(name: &str, why: &str) -> Failure {
    Failure::new(ErrorKind::InvalidInput, format!("`{name}`: {why}"))
}
