//! From a question to a run, watched to its end.

use std::io::Read;

use gemicro_core::research::{Base, ResearchConfig, ResearchPlan, UseAs};
use gemicro_engine::{Backend, Engine, LocalRunService, Plan, Request, ResearchRequest, RunService};
use gemicro_event::ErrorKind;

use super::{ResearchArgs, ResearchDisplay, batch, dry_run, watch};
use crate::args::is_question;
use crate::command_error::CommandError;
use crate::config::{Endpoints, Layers, ResearchSettings};
use crate::output;
use crate::recorder::{RunRecorder, tap_if_recorded, write_recorded};
use crate::report::ReportFiles;
use crate::screen::text;
use crate::session::{Context, find_run};
use crate::{backend, runtime, signals};

/// Input beyond this is no question; the engine refuses it with the right words.
const MAX_STDIN_BYTES: u64 = 64 * 1024;

/// Where settings were found, and what they are.
#[derive(Clone, Copy)]
pub(crate) struct ResolvedSettings<'a> {
    pub(crate) layers: &'a Layers,
    pub(crate) settings: &'a ResearchSettings,
}

/// Answers a question, or every question of a file.
pub(crate) fn run(ctx: &Context, args: &ResearchArgs) -> Result<(), CommandError> {
    let layers = ctx.layers()?;
    let settings = ResearchSettings::resolve(&layers, args.flags()?)?;
    if let Some(out) = &args.out {
        output::check_target(out)?;
    }
    let report = args.report.as_deref().map(ReportFiles::new).transpose()?;
    let opened = ResolvedSettings {
        layers: &layers,
        settings: &settings,
    };
    let make = PlanMaker { ctx, args, opened };
    if let Some(file) = &args.questions {
        return batch::run(ctx, args, opened, file, &|question| make.plan(question, None));
    }
    if args.plan && !args.yes && !args.dry_run && !ctx.screen.stdin_is_terminal {
        return Err(CommandError::usage(
            "--plan asks for approval, but stdin is not a terminal",
            "add --yes to approve without asking, or --dry-run to only see the plan",
        ));
    }
    let question = question(args)?;
    if args.follow.is_none() {
        // Everything that can be refused is refused before the store is opened.
        let plan = make.plan(question, None)?;
        if args.dry_run {
            return dry_run::print(&plan, args.format, &ctx.screen);
        }
        return runtime::block_on(async {
            let engine = ctx.engine(&layers, &settings).await?;
            start(ctx, args, report.as_ref(), engine, plan).await
        });
    }
    runtime::block_on(async {
        let engine = ctx.engine(&layers, &settings).await?;
        let plan = make.plan(question, earlier(args, &engine).await?)?;
        if args.dry_run {
            return dry_run::print(&plan, args.format, &ctx.screen);
        }
        start(ctx, args, report.as_ref(), engine, plan).await
    })
}

/// What the run named with `--follow` brings in.
async fn earlier(args: &ResearchArgs, engine: &Engine) -> Result<Option<EarlierRun>, CommandError> {
    let Some(named) = &args.follow else {
        return Ok(None);
    };
    let id = find_run(engine.store(), named).await?;
    let use_as = match &args.revise {
        Some(section) => UseAs::Revise {
            section: section.clone(),
        },
        None => UseAs::FollowUp,
    };
    let (plan, base) = engine
        .base(&id, use_as)
        .await
        .map_err(|failure| match failure.kind {
            ErrorKind::InvalidInput => CommandError::from(failure)
                .with_hint("`gemicro show RUN --format markdown` prints its report"),
            _ => CommandError::from(failure),
        })?;
    Ok(Some(EarlierRun { plan, base }))
}

async fn start(
    ctx: &Context,
    args: &ResearchArgs,
    report: Option<&ReportFiles>,
    engine: Engine,
    plan: Plan,
) -> Result<(), CommandError> {
    let stop = signals::listen()?;
    let recorder = RunRecorder::new(args.record.as_deref())?;
    for notice in plan.notices() {
        output::say(&format!("{} {notice}", ctx.screen.on_stderr().warn("note:")));
    }
    let here = LocalRunService::new(engine);
    let watching = tap_if_recorded(recorder.as_ref(), here.start(plan).await?);
    let id = watching.run.clone();
    let showing = ResearchDisplay {
        format: args.format,
        out: args.out.as_deref(),
        report,
        yes: args.yes,
    };
    let outcome = watch(ctx, &here, watching, &stop, showing).await;
    write_recorded(ctx, recorder.as_ref(), &id, outcome).await
}

/// An earlier run: the plan it had and what it brings in.
struct EarlierRun {
    plan: ResearchPlan,
    base: Base,
}

/// Makes plans from questions.
struct PlanMaker<'a> {
    ctx: &'a Context,
    args: &'a ResearchArgs,
    opened: ResolvedSettings<'a>,
}

impl PlanMaker<'_> {
    fn plan(&self, question: String, earlier: Option<EarlierRun>) -> Result<Plan, CommandError> {
        let settings = self.opened.settings;
        let backend = match &earlier {
            Some(earlier) if !settings.names_backend() => backend::of_plan(&earlier.plan),
            Some(_) | None => backend::choose(
                settings,
                &self.ctx.environment,
                &Endpoints::resolve(self.opened.layers)?,
            )
            .map_err(offer_offline)?,
        };
        let request = ResearchRequest {
            question,
            sources: settings.sources.value.clone(),
            backend,
            config: ResearchConfig {
                max_sub_queries: settings.max_queries.value,
                approve_plan: self.args.plan,
                ..ResearchConfig::default()
            },
            limits: settings.limits()?,
            base: earlier.map(|earlier| earlier.base),
        };
        plan_request(request)
    }
}

/// Without a key, research can still answer from documents.
fn offer_offline(stopped: CommandError) -> CommandError {
    match &stopped {
        CommandError::Report(report) if report.failure.kind == ErrorKind::AuthFailed => {
            let hint = format!(
                "{}; or answer only from your documents: --offline --source DIR",
                report.hint()
            );
            stopped.with_hint(hint)
        }
        _ => stopped,
    }
}

/// The plan of a request, or why there is none.
pub(crate) fn plan_request(request: ResearchRequest) -> Result<Plan, CommandError> {
    let hint = offline_hint(&request);
    Plan::of(&Request::Research(Box::new(request))).map_err(|failure| match (failure.kind, hint) {
        (ErrorKind::InvalidInput, Some(hint)) => CommandError::from(failure).with_hint(hint),
        (ErrorKind::NotFound, _) => {
            CommandError::from(failure).with_hint("check the path given with --source")
        }
        _ => CommandError::from(failure),
    })
}

/// The call to make instead of one that answers from documents and has none that it may read.
fn offline_hint(request: &ResearchRequest) -> Option<String> {
    let sources: Vec<_> = request.sources.iter().map(|it| it.to_string_lossy()).collect();
    let address = sources.iter().find(|it| it.contains("://"));
    match (&request.backend, address) {
        (Backend::Offline, Some(address)) => {
            Some(format!("gemicro --source {} \"…\"", text::shell_quoted(address)))
        }
        (Backend::Offline, None) if sources.is_empty() => {
            Some("gemicro --offline --source DIR \"…\"".to_owned())
        }
        (Backend::Offline | Backend::Model { .. } | Backend::Agent(_), _) => None,
    }
}

fn question(args: &ResearchArgs) -> Result<String, CommandError> {
    match args.question.as_slice() {
        [] => Err(CommandError::usage(
            "there is no question",
            "gemicro \"your question\" --offline --source DIR",
        )),
        [only] if only == "-" => {
            let mut bytes = Vec::new();
            std::io::stdin().take(MAX_STDIN_BYTES).read_to_end(&mut bytes)?;
            let words = String::from_utf8(bytes).map_err(|_| {
                CommandError::usage(
                    "the question on stdin is not UTF-8 text",
                    "send it as UTF-8, or pass it as an argument",
                )
            })?;
            match !args.is_short_form || is_question(std::slice::from_ref(&words)) {
                true => Ok(words),
                false => Err(CommandError::usage(
                    format!("`{}` on stdin may be a command; no model was asked", words.trim()),
                    "to ask it as a question, run: gemicro research -",
                )),
            }
        }
        words => Ok(words.join(" ")),
    }
}
