//! From a prompt to a run, watched to its end.

use std::io::Read;
use std::path::Path;
use std::time::Duration;

use gemicro_core::ask::{ToolAnswer, ToolExtras};
use gemicro_core::drive::StopSignals;
use gemicro_engine::{Plan, Request, RunService, RunSightings, find_session};
use gemicro_event::{ErrorKind, StreamId};

use super::AskArgs;
use super::view::AskView;
use crate::args::DataFormat;
use crate::asker::NoAsker;
use crate::command_error::CommandError;
use crate::config::{ResearchFlags, ResearchSettings};
use crate::default_agent::DefaultAgent;
use crate::follow::{RESUME, RunWatch, follow};
use crate::output::{self, CommandOutput};
use crate::recorder::{RunRecorder, tap_if_recorded, write_recorded};
use crate::session::Context;
use crate::view::{EventLines, RunEnd, RunView};
use crate::{root_warning, runtime, signals};

/// Input beyond this is more than any agent takes.
const MAX_STDIN_BYTES: u64 = 8 * 1024 * 1024 + 1;

/// Asks an agent once. Whoever asked for JSON gets the tool's answer, whatever happens.
pub(crate) fn run(ctx: &Context, args: &AskArgs) -> Result<(), CommandError> {
    match ask(ctx, args) {
        Ok((end, id)) => end.outcome(&id).map_err(|stopped| match &end {
            RunEnd::Failed(failure) if failure.kind == ErrorKind::AuthFailed => {
                stopped.with_hint("`gemicro doctor` shows which key or login the agent needs")
            }
            _ => stopped,
        }),
        Err(stopped) => {
            if let (DataFormat::Json, CommandError::Report(report)) = (args.format, &stopped) {
                let limits = (args.timeout * 1_000, args.max_duration * 1_000);
                let answer = ToolAnswer::failure(args.tool(), &report.failure, limits, 0, Duration::ZERO);
                if let Ok(line) = serde_json::to_string(&answer.with_extras(args.extras(), &[])) {
                    CommandOutput::Stdout.write(format!("{line}\n").as_bytes())?;
                }
            }
            Err(mistyped_session(stopped))
        }
    }
}

/// Starts the run and shows it to its end.
fn ask(ctx: &Context, args: &AskArgs) -> Result<(RunEnd, StreamId), CommandError> {
    let layers = ctx.layers()?;
    let known = match &args.session {
        Some(named) => Some(find_session(&ctx.home(&layers)?, named)?),
        None => None,
    };
    let mut request = args.request(args.template.prompt(prompt(args)?)?, known.as_ref())?;
    if request.agent.is_none() && request.model.is_none() {
        request.agent = Some(DefaultAgent::resolve(&ctx.environment, &layers)?.agent);
    }
    // Everything that can be refused is refused before the store is opened.
    let plan = Plan::of(&Request::Ask(Box::new(request))).map_err(|failure| match failure.kind {
        ErrorKind::NotFound => CommandError::from(failure).with_hint("check the folder given with --cd"),
        ErrorKind::UnknownModel => CommandError::from(failure).with_hint("choose another model with --model"),
        ErrorKind::InvalidInput => match args.branch.as_deref().filter(|name| !name.starts_with("task/")) {
            Some(branch) => {
                CommandError::from(failure).with_hint(format!("gemicro ask --branch task/{branch} …"))
            }
            None => CommandError::from(failure),
        },
        _ => CommandError::from(failure),
    })?;
    let settings = ResearchSettings::resolve(&layers, ResearchFlags::default())?;
    root_warning::warn(ctx, &ctx.home(&layers)?);
    let recorder = RunRecorder::new(args.record.as_deref())?;
    runtime::block_on(async {
        let desk = ctx.desk(&layers, &settings, args.no_resident).await?;
        let stop = signals::listen()?;
        for notice in plan.notices() {
            output::say(&format!("{} {notice}", ctx.screen.on_stderr().warn("note:")));
        }
        let watching = tap_if_recorded(recorder.as_ref(), desk.desk().start(plan).await?);
        let id = watching.run.clone();
        let shown = AskDisplay {
            format: args.format,
            out: None,
            extras: args.extras(),
        };
        let end = show(ctx, desk.desk(), watching, &stop, shown).await?;
        desk.close().await;
        write_recorded(ctx, recorder.as_ref(), &id, Ok(())).await?;
        Ok((end, id))
    })
}

/// How a run of an agent is shown.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AskDisplay<'a> {
    /// How the answer is printed.
    pub(crate) format: DataFormat,
    /// Where it goes instead of stdout.
    pub(crate) out: Option<&'a Path>,
    /// What is added to it.
    pub(crate) extras: ToolExtras,
}

/// Shows a run of an agent to its end.
///
/// # Errors
/// When the store or the view fails.
pub(crate) async fn show(
    ctx: &Context,
    desk: &dyn RunService,
    watching: RunSightings,
    stop: &StopSignals,
    shown: AskDisplay<'_>,
) -> Result<RunEnd, CommandError> {
    let id = watching.run.clone();
    let view: Box<dyn RunView> = match shown.format {
        DataFormat::Jsonl => Box::new(EventLines::new(CommandOutput::new(shown.out))),
        DataFormat::Text | DataFormat::Json => Box::new(AskView::new(shown, &ctx.screen)),
    };
    let watch = RunWatch {
        desk,
        views: vec![view],
        stop,
        asker: Box::new(NoAsker),
        resume: RESUME,
    };
    let end = follow(watch, watching)
        .await
        .map_err(|stopped| stopped.about(&id))?;
    if matches!(end, RunEnd::Suspended(_)) {
        output::say(&if stop.suspend.is_cancelled() {
            format!("Run {id} is stopped. Its work so far is saved: gemicro show {id}")
        } else {
            format!(
                "The worker was stopped. Run {id} continues with the next worker. To end it: gemicro cancel {id}"
            )
        });
    }
    Ok(end)
}

/// A session that was not found before anything was asked is a mistyped id.
fn mistyped_session(mut stopped: CommandError) -> CommandError {
    match &mut stopped {
        CommandError::Report(report) if report.failure.kind == ErrorKind::SessionNotFound => {
            report.failure.kind = ErrorKind::NotFound;
            stopped.with_hint("`gemicro runs` lists the runs, `gemicro show RUN` names the session of one")
        }
        _ => stopped,
    }
}

fn prompt(args: &AskArgs) -> Result<String, CommandError> {
    if args.prompt != ["-"] {
        return Ok(args.prompt.join(" "));
    }
    let mut bytes = Vec::new();
    std::io::stdin().take(MAX_STDIN_BYTES).read_to_end(&mut bytes)?;
    String::from_utf8(bytes).map_err(|_| {
        CommandError::usage(
            "the prompt on stdin is not UTF-8 text",
            "send it as UTF-8, or pass it as an argument",
        )
    })
}
