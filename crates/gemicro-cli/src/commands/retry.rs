//! `gemicro retry`: what failed in a run is asked again, in a run of its own; what was answered stays. A pipeline continues
//! from a phase, on the same branch.

use std::path::PathBuf;

use clap::Args;
use gemicro_core::budget::Limits;
use gemicro_core::drive::StopSignals;
use gemicro_core::research::UseAs;
use gemicro_core::run::RunRow;
use gemicro_core::store::Store;
use gemicro_engine::pipeline::later_run;
use gemicro_engine::{AllowedHost, Engine, LocalRunService, Plan, ResearchRequest, RunService};
use gemicro_event::{ErrorKind, RunStatus, StreamId};

use super::research::{ResearchDisplay, plan_request, watch};
use super::run as pipeline;
use crate::answer_source::{AnswerSource, GateArgs};
use crate::args::PrintFormat;
use crate::command_error::CommandError;
use crate::config::readers::{parse_budget, parse_host};
use crate::flow_table::flow_row;
use crate::follow::RESUME;
use crate::session::{Context, find_run};
use crate::{backend, output, runtime, signals};

/// Arguments of `gemicro retry`.
#[derive(Debug, Args)]
pub(crate) struct RetryArgs {
    /// The run: the start of its id, or `last`
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    /// The pipeline phase to restart from, by its name or label [default: the phase that can fix the failure]
    #[arg(long, value_name = "PHASE")]
    pub(crate) from: Option<String>,
    /// New limit for the run: tokens (50k), money ('$0.50', if the price is known) or time (10m); repeatable
    #[arg(long, value_name = "AMOUNT", value_parser = parse_budget)]
    pub(crate) budget: Vec<Limits>,
    /// Allow fetching from this private or plain-HTTP host, such as 127.0.0.1:8080; repeatable
    #[arg(long = "allow-host", value_name = "HOST", value_parser = parse_host)]
    pub(crate) allow_hosts: Vec<AllowedHost>,
    /// Output format; jsonl prints every event
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: PrintFormat,
    /// Write the result to this file instead of stdout
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) gates: GateArgs,
}

/// Starts a run that asks again what failed, and watches it to its end.
pub(crate) fn run(ctx: &Context, args: &RetryArgs) -> Result<(), CommandError> {
    if let Some(out) = &args.out {
        output::check_target(out)?;
    }
    runtime::block_on(retry(ctx, args))
}

async fn retry(ctx: &Context, args: &RetryArgs) -> Result<(), CommandError> {
    let stop = signals::listen()?;
    let engine = ctx.engine_allowing(&args.allow_hosts).await?;
    let id = find_run(engine.store(), &args.run).await?;
    let row = engine.store().run(&id).await?;
    let flow = flow_row(&row.flow);
    if flow.has_phases {
        if !row.status.is_terminal() {
            return Err(CommandError::usage(
                format!(
                    "run {id} has not ended ({}), and two runs cannot share a branch",
                    row.status.as_str()
                ),
                format!("continue it: gemicro resume {id}; or end it first: gemicro cancel {id}"),
            ));
        }
        if row.status == RunStatus::Completed && args.from.is_none() {
            return Err(CommandError::usage(
                format!("run {id} is completed: nothing of it failed"),
                format!(
                    "to repeat a phase, name it: gemicro retry {id} --from PHASE; `gemicro show {id}` lists the phases"
                ),
            ));
        }
        return retry_pipeline(ctx, engine, &id, args, &stop).await;
    }
    if args.from.is_some() || args.gates.wait || args.gates.decide.is_some() {
        return Err(CommandError::usage(
            format!(
                "run {id} is not a pipeline but a {} run, which has no phases",
                row.flow
            ),
            format!("remove --from, --decide and --wait: gemicro retry {id}"),
        ));
    }
    if flow.story.has_board {
        return Err(CommandError::usage(
            format!("run {id} is a batch, which has its own retry command"),
            format!("gemicro batch retry {id}"),
        ));
    }
    let (plan, base) = engine
        .base(&id, UseAs::Retry)
        .await
        .map_err(|failure| match failure.kind {
            ErrorKind::InvalidInput => {
                CommandError::from(failure).with_hint(format!("`gemicro show {id}` lists what to do next"))
            }
            _ => CommandError::from(failure),
        })?;
    let limits = match args.budget.as_slice() {
        // The limits of the run hold for what it did not get done, too.
        [] => base.limits,
        given => Limits::merge_all(given.iter().copied())
            .map_err(|error| CommandError::usage(error.to_string(), "give each kind of limit once"))?,
    };
    let request = ResearchRequest {
        backend: backend::of_plan(&plan),
        question: plan.question,
        // What was read then is what is asked now; only a run that read nothing reads again.
        sources: match base.pack {
            Some(_) => Vec::new(),
            None => plan.sources.iter().map(PathBuf::from).collect(),
        },
        config: plan.config,
        limits,
        base: Some(base),
    };
    let here = LocalRunService::new(engine);
    let watching = here.start(plan_request(request)?).await?;
    let showing = ResearchDisplay {
        format: args.format,
        out: args.out.as_deref(),
        report: None,
        yes: false,
    };
    watch(ctx, &here, watching, &stop, showing).await
}

/// Enters a phase of a pipeline again, in a run of its own.
async fn retry_pipeline(
    ctx: &Context,
    engine: Engine,
    id: &StreamId,
    args: &RetryArgs,
    stop: &StopSignals,
) -> Result<(), CommandError> {
    let events = engine.store().read(id, 0, usize::MAX).await?.events;
    if let Some(later) = later_run(engine.store(), &events).await? {
        return Err(went_on(id, &later, args));
    }
    let plan = Plan::retry(&events, args.from.as_deref())
        .map_err(|failure| CommandError::from(failure).with_hint(format!("gemicro show {id}")))?;
    let limits = match args.budget.as_slice() {
        [] => plan.limits,
        given => Limits::merge_all(given.iter().copied())
            .map_err(|error| CommandError::usage(error.to_string(), "give each kind of limit once"))?,
    };
    let plan = Plan { limits, ..plan };
    pipeline::ready(ctx, &plan)?;
    let deciding = AnswerSource::from_arguments(ctx, &args.gates, None)?;
    let here = LocalRunService::new(engine);
    let shown = pipeline::RunDisplay {
        format: args.format,
        out: args.out.as_deref(),
        deciding,
        resume: RESUME,
        first: None,
        recorder: None,
    };
    pipeline::start(ctx, &here, plan, stop, shown).await
}

/// Refuses to continue a run that another one has continued: the branch is what the other one left.
fn went_on(id: &StreamId, later: &RunRow, args: &RetryArgs) -> CommandError {
    let newest = &later.run;
    let from = args.from.iter().map(|phase| format!(" --from {phase}"));
    let hint = match later.status.is_terminal() {
        true => format!(
            "retry that run instead: gemicro retry {newest}{}",
            from.collect::<String>()
        ),
        false => format!("resume that run instead: gemicro resume {newest}"),
    };
    CommandError::new_failure(
        ErrorKind::Conflict,
        format!(
            "run {newest} ({}) continued on the branch after run {id}",
            later.status.as_str()
        ),
        hint,
    )
}
