//! From the file of a loop to a run, watched to its end.

use std::path::Path;

use gemicro_core::drive::StopSignals;
use gemicro_engine::ooda::{Decider, OodaPlan, TestPrompts};
use gemicro_engine::{LocalRunService, OodaRequest, Plan, Request, RunService, RunSightings};
use gemicro_event::ErrorKind;

use super::OodaArgs;
use super::args::TestWriter;
use super::file::OodaFile;
use super::gap_decision::GapAsker;
use super::view::OodaView;
use crate::answer_source::AnswerSource;
use crate::args::DataFormat;
use crate::command_error::CommandError;
use crate::commands::batch::llm;
use crate::config::{Endpoints, Layers, ResearchFlags, ResearchSettings};
use crate::follow::{RESUME, RunWatch, follow};
use crate::output::{self, CommandOutput};
use crate::recorder::{RunRecorder, tap_if_recorded, write_recorded};
use crate::session::Context;
use crate::view::{EventLines, RunEnd, RunView};
use crate::{backend, runtime, signals};

/// The branch where nothing is said.
const BRANCH: &str = "task/coverage";
/// The part of the lines that is aimed at where nothing is said, in percent.
const TARGET: f64 = 80.0;
/// Gaps that are taken on.
const ROUNDS: u32 = 20;
/// Questions about one gap.
const ATTEMPTS: u32 = 2;
/// Gaps in a row without a test.
const PATIENCE: u32 = 3;
/// Broken versions that a test is tried on.
const MUTANTS: u32 = 4;

/// A loop that can be started, and the settings that it was planned under.
pub(crate) struct PlannedLoop {
    /// What will be done.
    pub(crate) plan: Plan,
    layers: Layers,
    settings: ResearchSettings,
}

/// Plans the loop of a file.
///
/// # Errors
/// When the file or an argument is wrong.
pub(crate) fn plan_loop(ctx: &Context, args: &OodaArgs) -> Result<PlannedLoop, CommandError> {
    let (file, directory) = OodaFile::read(&args.file)?;
    let layers = ctx.layers()?;
    let flags = ResearchFlags {
        budget: file.budget(args)?,
        max_duration: args.max_duration,
        backend: args.backend.or(file.backend).map(TestWriter::backend),
        model: args.model.clone().or_else(|| file.model.clone()).map(Some),
        ..ResearchFlags::default()
    };
    let settings = ResearchSettings::resolve(&layers, flags)?;
    let plan = OodaPlan {
        directory: directory.to_string_lossy().into_owned(),
        branch: args
            .branch
            .clone()
            .or_else(|| file.branch.clone())
            .unwrap_or_else(|| BRANCH.to_owned()),
        commands: file.commands()?,
        target: args.target.or(file.target).unwrap_or(TARGET),
        decider: if args.auto { Decider::Auto } else { Decider::Human },
        max_rounds: args.rounds.or(file.rounds).unwrap_or(ROUNDS),
        max_attempts: file.attempts.unwrap_or(ATTEMPTS),
        patience: file.patience.unwrap_or(PATIENCE),
        mutants: file.mutants.unwrap_or(MUTANTS),
        context: file.context.clone(),
        llm: llm(&settings)?,
        prompts: TestPrompts::default(),
        notices: Vec::new(),
    };
    let limits = settings.limits()?;
    let request = OodaRequest { plan, limits };
    let plan = Plan::of(&Request::Ooda(Box::new(request))).map_err(|failure| match failure.kind {
        ErrorKind::InvalidInput => CommandError::from(failure).with_hint("docs/ooda.md describes the file"),
        _ => CommandError::from(failure),
    })?;
    Ok(PlannedLoop {
        plan,
        layers,
        settings,
    })
}

/// Checks that the model of a loop can be asked. Without a key nothing is measured either.
///
/// # Errors
/// When its key is missing.
pub(crate) fn check_backend(ctx: &Context, planned: &PlannedLoop) -> Result<(), CommandError> {
    backend::choose(
        &planned.settings,
        &ctx.environment,
        &Endpoints::resolve(&planned.layers)?,
    )?;
    Ok(())
}

pub(crate) fn run(ctx: &Context, args: &OodaArgs) -> Result<(), CommandError> {
    let planned = plan_loop(ctx, args)?;
    if args.dry_run {
        return dry_run(&planned.plan, args.format);
    }
    let deciding = AnswerSource::from_arguments(ctx, &args.gates, None)?;
    check_backend(ctx, &planned)?;
    let recorder = RunRecorder::new(args.record.as_deref())?;
    let PlannedLoop {
        plan,
        layers,
        settings,
    } = planned;
    runtime::block_on(async {
        let engine = ctx.engine(&layers, &settings).await?;
        let stop = signals::listen()?;
        for notice in plan.notices() {
            output::say(&format!("{} {notice}", ctx.screen.on_stderr().warn("note:")));
        }
        let here = LocalRunService::new(engine);
        let watching = tap_if_recorded(recorder.as_ref(), here.start(plan).await?);
        let id = watching.run.clone();
        let shown = OodaDisplay {
            format: args.format,
            out: None,
            deciding,
        };
        let outcome = watch(ctx, &here, watching, &stop, shown).await;
        write_recorded(ctx, recorder.as_ref(), &id, outcome).await
    })
}

/// How a loop is shown, and who decides.
pub(crate) struct OodaDisplay<'a> {
    /// How it is printed.
    pub(crate) format: DataFormat,
    /// Where its result goes instead of stdout.
    pub(crate) out: Option<&'a Path>,
    pub(crate) deciding: AnswerSource,
}

/// Shows a loop to its end.
///
/// # Errors
/// When it failed or was stopped, or the store or a view failed.
pub(crate) async fn watch(
    ctx: &Context,
    here: &LocalRunService,
    watching: RunSightings,
    stop: &StopSignals,
    shown: OodaDisplay<'_>,
) -> Result<(), CommandError> {
    let id = watching.run.clone();
    let view: Box<dyn RunView> = match shown.format {
        DataFormat::Jsonl => Box::new(EventLines::new(CommandOutput::new(shown.out))),
        DataFormat::Text | DataFormat::Json => Box::new(OodaView::new(
            shown.format,
            &id,
            &ctx.screen,
            CommandOutput::new(shown.out),
        )),
    };
    let watch = RunWatch {
        desk: here,
        views: vec![view],
        stop,
        asker: Box::new(GapAsker::new(id.clone(), shown.deciding, here.clone())),
        resume: RESUME,
    };
    let end = follow(watch, watching)
        .await
        .map_err(|stopped| stopped.about(&id))?;
    here.engine().close().await;
    if matches!(end, RunEnd::Suspended(_)) {
        output::say(&format!(
            "Run {id} is suspended. Continue with: gemicro resume {id}"
        ));
    }
    end.outcome(&id)
}

fn dry_run(plan: &Plan, format: DataFormat) -> Result<(), CommandError> {
    let (plan, limits): (OodaPlan, _) = (plan.read()?, &plan.limits);
    if format != DataFormat::Text {
        let plan = serde_json::json!({ "plan": plan, "limits": limits });
        return output::print(&format!("{plan}\n"));
    }
    let decider = match plan.decider {
        Decider::Auto => "automatic: the first open gap",
        Decider::Human => "a person",
    };
    let reports = match plan.commands.reports.as_slice() {
        [] => "in the usual places".to_owned(),
        named => named.join(", "),
    };
    let lines = [
        ("Project", plan.directory.clone()),
        ("Branch", plan.branch.clone()),
        ("Test", plan.commands.test.command.clone()),
        ("Coverage", plan.commands.coverage.command.clone()),
        ("Reports", reports),
        ("Target", format!("{} %", plan.target)),
        ("Decides", decider.to_owned()),
        ("Model", format!("{} ({})", plan.llm.model, plan.llm.backend)),
        ("Budget", limits.to_string()),
        (
            "Limits",
            format!(
                "{} rounds, {} attempts per gap, {} failed gaps, {} mutants, {} s per command",
                plan.max_rounds,
                plan.max_attempts,
                plan.patience,
                plan.mutants,
                plan.commands.test.timeout_ms / 1_000
            ),
        ),
    ];
    let text: String = lines
        .iter()
        .map(|(name, value)| format!("{name:<9} {value}\n"))
        .collect();
    output::print(&text)
}
