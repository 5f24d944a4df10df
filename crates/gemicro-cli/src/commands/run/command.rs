//! From a task to a run, watched to its end.

use std::io::Read;
use std::path::Path;

use gemicro_core::ask::AgentName;
use gemicro_core::budget::Limits;
use gemicro_core::drive::StopSignals;
use gemicro_engine::{Desk, Here, PipelineRequest, Plan, Request, Watching};
use gemicro_event::ErrorKind;

use super::RunArgs;
use super::dry_run::dry_run;
use super::gate::HumanGate;
use super::view::PipelineView;
use crate::args::DataFormat;
use crate::config::{Endpoints, ResearchFlags, ResearchSettings};
use crate::deciding::Deciding;
use crate::follow::{Watch, follow};
use crate::output::{self, Output};
use crate::session::Context;
use crate::trouble::Stopped;
use crate::view::{EventLines, RunEnd, View};
use crate::{agents, runtime, signals, workflow_file};

/// A longer task than any prompt holds.
const MAX_TASK_BYTES: u64 = 1024 * 1024;

/// Runs a pipeline.
pub(crate) fn run(ctx: &Context, args: &RunArgs) -> Result<(), Stopped> {
    let task = task(args)?;
    // Paths of the command line are seen from the current folder, also that of the workflow.
    let directory = std::path::absolute(&args.dir)?;
    let named = args.workflow.as_ref().map(std::path::absolute).transpose()?;
    let request = PipelineRequest {
        task,
        mode: args.mode.into(),
        workflow: workflow_file::load(named.as_deref(), &directory)?,
        directory,
        branch: args.branch.clone(),
        agent: args.agent.map(AgentName::from),
        model: args.model.clone(),
        remote: args.remote.clone(),
        require_protection: args.require_protection,
        push: !args.no_push,
        limits: limits(args)?,
    };
    // Everything that can be refused is refused before the store is opened.
    let plan = Plan::of(&Request::Pipeline(Box::new(request))).map_err(|failure| match failure.kind {
        ErrorKind::NotFound => Stopped::from(failure).with_hint("check the folder given with --dir"),
        ErrorKind::UnknownModel => Stopped::from(failure).with_hint("name another one with --model"),
        ErrorKind::InvalidInput => Stopped::from(failure).with_hint("docs/pipeline.md describes the command"),
        _ => Stopped::from(failure),
    })?;
    if args.dry_run {
        return dry_run(&plan, &ctx.screen, args.format);
    }
    let deciding = Deciding::asked(ctx, args.decide.as_deref())?;
    access(ctx, &plan)?;
    let layers = ctx.layers()?;
    let settings = ResearchSettings::resolve(&layers, ResearchFlags::default())?;
    runtime::block_on(async {
        let here = Here::new(ctx.engine(&layers, &settings).await?);
        let stop = signals::listen()?;
        let shown = Shown {
            format: args.format,
            deciding,
        };
        start(ctx, &here, plan, &stop, shown).await
    })
}

/// Starts a run from a plan and shows it to its end.
///
/// # Errors
/// When it failed or was stopped, or the store or a view failed.
pub(crate) async fn started(
    ctx: &Context,
    here: &Here,
    plan: Plan,
    stop: &StopSignals,
    format: DataFormat,
) -> Result<(), Stopped> {
    let deciding = Deciding::usual(ctx);
    start(ctx, here, plan, stop, Shown { format, deciding }).await
}

/// Goes on with a run and shows it to its end.
///
/// # Errors
/// When it failed or was stopped, or the store or a view failed.
pub(crate) async fn resume(
    ctx: &Context,
    here: &Here,
    watching: Watching,
    stop: &StopSignals,
    format: DataFormat,
) -> Result<(), Stopped> {
    let deciding = Deciding::usual(ctx);
    watch(ctx, here, watching, stop, Shown { format, deciding }).await
}

/// Refuses a plan whose agents cannot reach their models, before anything is made.
///
/// # Errors
/// When one of them has neither a key nor a login.
pub(crate) fn access(ctx: &Context, plan: &Plan) -> Result<(), Stopped> {
    const HINT: &str = "`gemicro doctor` names the key or login that the agent needs";
    let Plan::Pipeline { plan, .. } = plan else {
        return Ok(());
    };
    let endpoints = Endpoints::resolve(&ctx.layers()?)?;
    for agent in plan.agents() {
        if agents::way(agent, &ctx.environment, &endpoints)?.is_none() {
            let message = format!("{agent} has no key and no login");
            return Err(Stopped::failed(ErrorKind::AuthFailed, message, HINT));
        }
    }
    Ok(())
}

/// How a run is shown, and who decides.
struct Shown {
    format: DataFormat,
    deciding: Deciding,
}

async fn start(
    ctx: &Context,
    here: &Here,
    plan: Plan,
    stop: &StopSignals,
    shown: Shown,
) -> Result<(), Stopped> {
    for notice in plan.notices() {
        output::say(&format!("{} {notice}", ctx.screen.on_stderr().warn("note:")));
    }
    let watching = here.start(plan).await?;
    watch(ctx, here, watching, stop, shown).await
}

async fn watch(
    ctx: &Context,
    here: &Here,
    watching: Watching,
    stop: &StopSignals,
    shown: Shown,
) -> Result<(), Stopped> {
    let id = watching.run.clone();
    let view: Box<dyn View> = match shown.format {
        DataFormat::Jsonl => Box::new(EventLines::new(Output::Stdout)),
        DataFormat::Text | DataFormat::Json => Box::new(PipelineView::new(shown.format, &id, &ctx.screen)),
    };
    let watch = Watch {
        desk: here,
        views: vec![view],
        stop,
        asker: Box::new(HumanGate::new(id.clone(), shown.deciding)),
    };
    let end = follow(watch, watching)
        .await
        .map_err(|stopped| stopped.about(&id))?;
    here.engine().store().close().await;
    if end == RunEnd::Suspended {
        output::say(&format!(
            "Run {id} is suspended. Continue with: gemicro resume {id}"
        ));
    }
    end.outcome(&id).map_err(|stopped| match &end {
        RunEnd::Failed(failure) if failure.kind == ErrorKind::AuthFailed => {
            stopped.with_hint("`gemicro doctor` names the key or login that the agent needs")
        }
        RunEnd::Failed(_) | RunEnd::Completed { .. } | RunEnd::Suspended => stopped,
    })
}

fn limits(args: &RunArgs) -> Result<Limits, Stopped> {
    let given = args.budget.iter().copied().chain(args.max_duration);
    Limits::merge_all(given).map_err(|error| {
        let hint = "give each sort of budget once; time is limited by --max-duration or --budget, not both";
        Stopped::usage(error.to_string(), hint)
    })
}

/// What is to be done: as said, or as a file or stdin has it.
fn task(args: &RunArgs) -> Result<String, Stopped> {
    const EXAMPLE: &str = "gemicro run --task \"Add a --json flag to the list command\"";
    match (&args.task, &args.task_file) {
        (Some(task), _) if !task.trim().is_empty() => Ok(task.clone()),
        (None, Some(file)) => read(file),
        (Some(_), _) => Err(Stopped::usage("the task is empty", EXAMPLE)),
        (None, None) => Err(Stopped::usage(
            "no task is given: say what is to be done",
            EXAMPLE,
        )),
    }
}

fn read(file: &Path) -> Result<String, Stopped> {
    let name = if file == Path::new("-") {
        "stdin".to_owned()
    } else {
        file.display().to_string()
    };
    let refuse = |why: String| {
        Stopped::usage(
            format!("the task in {name} {why}"),
            "name a file of text with --task-file",
        )
    };
    let mut bytes = Vec::new();
    let read = match file == Path::new("-") {
        true => std::io::stdin().take(MAX_TASK_BYTES + 1).read_to_end(&mut bytes),
        false => {
            std::fs::File::open(file).and_then(|file| file.take(MAX_TASK_BYTES + 1).read_to_end(&mut bytes))
        }
    };
    read.map_err(|error| refuse(format!("cannot be read: {error}")))?;
    if bytes.len() as u64 > MAX_TASK_BYTES {
        return Err(refuse(format!("is longer than {} KiB", MAX_TASK_BYTES >> 10)));
    }
    let text = String::from_utf8(bytes).map_err(|_| refuse("is not UTF-8 text".to_owned()))?;
    match text.trim().is_empty() {
        true => Err(refuse("is empty".to_owned())),
        false => Ok(text),
    }
}
