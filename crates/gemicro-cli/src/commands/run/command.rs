//! From a task to a run, watched to its end.

use std::io::Read;
use std::path::Path;

use gemicro_core::ask::AgentName;
use gemicro_core::budget::Limits;
use gemicro_core::drive::StopSignals;
use gemicro_core::store::Store;
use gemicro_engine::{Engine, LocalRunService, PipelineRequest, Plan, Request, RunService, RunSightings};
use gemicro_event::{ErrorKind, StreamId};

use super::RunArgs;
use super::dry_run::dry_run;
use super::gate::HumanGate;
use super::ready::ready;
use super::view::PipelineView;
use crate::answer_source::AnswerSource;
use crate::args::PrintFormat;
use crate::command_error::CommandError;
use crate::config::{ResearchFlags, ResearchSettings};
use crate::default_agent::DefaultAgent;
use crate::follow::{RESUME, RunWatch, follow};
use crate::output::{self, CommandOutput};
use crate::recorder::{RunRecorder, tap_if_recorded, write_recorded};
use crate::screen::text;
use crate::session::Context;
use crate::story::{PipelineStory, hint};
use crate::view::{EventLines, RunEnd, RunView};
use crate::{root_warning, runtime, signals, workflow_file};

/// A longer task than any prompt holds.
const MAX_TASK_BYTES: u64 = 1024 * 1024;

pub(crate) fn run(ctx: &Context, args: &RunArgs) -> Result<(), CommandError> {
    run_as(ctx, args, RESUME, None)
}

/// Runs a pipeline that is resumed by this command, in which `RUN` stands for its id; `first` has to be typed before
/// all others.
pub(crate) fn run_as(
    ctx: &Context,
    args: &RunArgs,
    resume: &str,
    first: Option<String>,
) -> Result<(), CommandError> {
    let task = task(args)?;
    // Paths of the command line are seen from the current folder, also that of the workflow.
    let directory = std::path::absolute(&args.dir)?;
    let named = args
        .workflow
        .as_deref()
        .map(workflow_file::from_here)
        .transpose()?;
    let limits = limits(args)?;
    let request = PipelineRequest {
        task,
        mode: args.mode.into(),
        workflow: workflow_file::load(named.as_deref(), &directory)?,
        directory,
        branch: args.branch.clone(),
        agent: agent(ctx, args)?,
        model: args.model.clone(),
        remote: args.remote.clone(),
        require_protection: args.require_protection,
        push: !args.no_push,
        limits,
    };
    // Everything that can be refused is refused before the store is opened.
    let plan = Plan::of(&Request::Pipeline(Box::new(request))).map_err(|failure| match failure.kind {
        ErrorKind::NotFound => CommandError::from(failure).with_hint("check the folder given with --dir"),
        ErrorKind::UnknownModel => CommandError::from(failure).with_hint("choose another model with --model"),
        ErrorKind::InvalidInput if limits.micro_usd.is_some() => {
            CommandError::from(failure).with_hint("limit it in tokens: --budget 2M")
        }
        _ => CommandError::from(failure),
    })?;
    let deciding = AnswerSource::from_arguments(ctx, &args.gates, None)?;
    if args.dry_run {
        return dry_run(ctx, &plan, args.format);
    }
    ready(ctx, &plan)?;
    let recorder = RunRecorder::new(args.record.as_deref())?;
    let layers = ctx.layers()?;
    let settings = ResearchSettings::resolve(&layers, ResearchFlags::default())?;
    root_warning::warn(ctx, &ctx.home(&layers)?);
    runtime::block_on(async {
        let here = LocalRunService::new(ctx.engine(&layers, &settings).await?);
        let stop = signals::listen()?;
        let shown = RunDisplay {
            format: args.format,
            out: None,
            deciding,
            resume,
            first,
            recorder,
        };
        start(ctx, &here, plan, &stop, shown).await
    })
}

/// The agent of roles that name none; by default the one that has the model.
fn agent(ctx: &Context, args: &RunArgs) -> Result<Option<AgentName>, CommandError> {
    match (args.agent, &args.model) {
        (Some(agent), _) => Ok(Some(agent.into())),
        (None, Some(_)) => Ok(None),
        (None, None) => Ok(Some(
            DefaultAgent::resolve(&ctx.environment, &ctx.layers()?)?.agent,
        )),
    }
}

/// How a run is shown, and who decides.
pub(crate) struct RunDisplay<'a> {
    /// How it is printed.
    pub(crate) format: PrintFormat,
    /// Where its result goes instead of stdout.
    pub(crate) out: Option<&'a Path>,
    /// Who decides at its human gates.
    pub(crate) deciding: AnswerSource,
    /// The command that resumes it, in which `RUN` stands for its id.
    pub(crate) resume: &'a str,
    /// What has to be typed before any of the commands that it names.
    pub(crate) first: Option<String>,
    /// Records it, if that was asked for.
    pub(crate) recorder: Option<RunRecorder>,
}

/// Starts a run from a plan and shows it to its end.
///
/// # Errors
/// When it failed or was stopped, or the store or a view failed.
pub(crate) async fn start(
    ctx: &Context,
    here: &LocalRunService,
    plan: Plan,
    stop: &StopSignals,
    shown: RunDisplay<'_>,
) -> Result<(), CommandError> {
    for notice in plan.notices() {
        output::say(&format!("{} {notice}", ctx.screen.on_stderr().warn("note:")));
    }
    let recorder = shown.recorder.clone();
    let watching = tap_if_recorded(recorder.as_ref(), here.start(plan).await?);
    let id = watching.run.clone();
    let outcome = watch(ctx, here, watching, stop, shown).await;
    write_recorded(ctx, recorder.as_ref(), &id, outcome).await
}

/// Shows a run to its end.
///
/// # Errors
/// When it failed or was stopped, or the store or a view failed.
pub(crate) async fn watch(
    ctx: &Context,
    here: &LocalRunService,
    watching: RunSightings,
    stop: &StopSignals,
    shown: RunDisplay<'_>,
) -> Result<(), CommandError> {
    let id = watching.run.clone();
    let view: Box<dyn RunView> = match shown.format {
        PrintFormat::Jsonl => Box::new(EventLines::new(CommandOutput::new(shown.out))),
        PrintFormat::Text | PrintFormat::Json | PrintFormat::Markdown => {
            Box::new(PipelineView::new(&id, &ctx.screen, &shown))
        }
    };
    let watch = RunWatch {
        desk: here,
        views: vec![view],
        stop,
        asker: Box::new(HumanGate::new(
            id.clone(),
            shown.deciding,
            here.clone(),
            ctx.environment.user(),
        )),
        resume: shown.resume,
    };
    let end = follow(watch, watching)
        .await
        .map_err(|stopped| stopped.about(&id))?;
    if matches!(end, RunEnd::Suspended(_)) {
        let resume = shown.resume.replace("RUN", id.as_str());
        output::say(&format!("Run {id} is suspended. Continue with: {resume}"));
    }
    let outcome = outcome(here.engine(), &id, &end).await;
    here.engine().close().await;
    outcome
}

/// What the command that watched a pipeline returns: its failures have hints of their own.
///
/// # Errors
/// When it failed or is suspended.
pub(crate) async fn outcome(engine: &Engine, id: &StreamId, end: &RunEnd) -> Result<(), CommandError> {
    let (RunEnd::Failed(failure), Err(stopped)) = (end, end.outcome(id)) else {
        return end.outcome(id);
    };
    let events = engine.store().read(id, 0, usize::MAX).await?.events;
    Err(match PipelineStory::of_events(&events) {
        Some(story) => stopped.with_hint(hint(failure, id, &story)),
        None => stopped,
    })
}

fn limits(args: &RunArgs) -> Result<Limits, CommandError> {
    let given = args.budget.iter().copied().chain(args.max_duration);
    Limits::merge_all(given).map_err(|error| {
        let hint = "give each kind of limit once; limit time with --max-duration or --budget, not both";
        CommandError::usage(error.to_string(), hint)
    })
}

/// What is to be done: as said, or as a file or stdin has it.
fn task(args: &RunArgs) -> Result<String, CommandError> {
    const EXAMPLE: &str = "gemicro run --task \"Add a --json flag to the list command\"";
    let words = args.words.join(" ");
    let typed = (!args.words.is_empty()).then_some(&words);
    if let ([only], None) = (
        words.split_whitespace().collect::<Vec<_>>().as_slice(),
        &args.task,
    ) {
        // A word such as `last` or `status` is a mistyped command, and a pipeline costs money.
        return Err(CommandError::usage(
            format!("`{only}` is one word and may be a mistyped command; nothing was started"),
            format!(
                "if it is the task, run: gemicro run --task {}",
                text::shell_quoted(only)
            ),
        ));
    }
    match (args.task.as_ref().or(typed), &args.task_file) {
        (Some(task), _) if !task.trim().is_empty() => Ok(task.clone()),
        (None, Some(file)) => read(file),
        (Some(_), _) => Err(CommandError::usage("the task is empty", EXAMPLE)),
        (None, None) => Err(CommandError::usage("no task was given", EXAMPLE)),
    }
}

fn read(file: &Path) -> Result<String, CommandError> {
    let name = if file == Path::new("-") {
        "stdin".to_owned()
    } else {
        file.display().to_string()
    };
    let refuse = |why: String| {
        CommandError::usage(
            format!("the task in {name} {why}"),
            "choose a text file with --task-file",
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
