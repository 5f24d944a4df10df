//! From a question to a run, watched to its end.

use std::io::Read;

use gemicro_core::llm::LlmConfig;
use gemicro_core::research::ResearchConfig;
use gemicro_engine::{Backend, Plan, Request, ResearchRequest};
use gemicro_event::ErrorKind;

use super::{ResearchArgs, Showing, batch, dry_run, watch};
use crate::config::{Layers, ResearchSettings};
use crate::output;
use crate::session::Context;
use crate::trouble::Stopped;
use crate::{backend, runtime, signals};

/// Input beyond this is no question; the engine refuses it with the right words.
const MAX_STDIN_BYTES: u64 = 64 * 1024;

/// Answers a question, or every question of a file.
pub(crate) fn run(ctx: &Context, args: &ResearchArgs) -> Result<(), Stopped> {
    let layers = ctx.layers()?;
    let settings = ResearchSettings::resolve(&layers, args.flags()?)?;
    if let Some(out) = &args.out {
        output::check_target(out)?;
    }
    let make = Maker {
        ctx,
        args,
        settings: &settings,
    };
    if let Some(file) = &args.questions {
        return batch::run(ctx, args, &layers, file, &|question| make.plan(question));
    }
    let plan = make.plan(question(args)?)?;
    if args.dry_run {
        return dry_run::print(&plan, args.format, &ctx.screen);
    }
    if args.plan && !args.yes && !ctx.screen.stdin_is_terminal {
        return Err(Stopped::usage(
            "--plan asks for approval, but stdin is not a terminal",
            "approve without asking with --yes, or only look at the plan with --dry-run",
        ));
    }
    runtime::block_on(execute(ctx, args, &layers, &plan))
}

async fn execute(ctx: &Context, args: &ResearchArgs, layers: &Layers, plan: &Plan) -> Result<(), Stopped> {
    let stop = signals::listen()?;
    let engine = ctx.engine(layers).await?;
    let run = engine.start(plan, stop.clone()).await?;
    let showing = Showing {
        format: args.format,
        out: args.out.as_deref(),
        yes: args.yes,
    };
    watch(ctx, &engine, run, &stop, showing).await
}

/// Makes plans from questions.
struct Maker<'a> {
    ctx: &'a Context,
    args: &'a ResearchArgs,
    settings: &'a ResearchSettings,
}

impl Maker<'_> {
    fn plan(&self, question: String) -> Result<Plan, Stopped> {
        let settings = self.settings;
        let backend = backend::choose(
            settings,
            self.args.without.unwrap_or_default(),
            &self.ctx.environment,
        )?;
        let backend = match backend {
            Backend::Offline(techniques) => Backend::Offline(techniques),
            Backend::Model(llm) => Backend::Model(LlmConfig {
                model: settings.model.value.clone(),
                timeout_ms: settings.timeout.value * 1_000,
                ..llm
            }),
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
        };
        Plan::of(&Request::Research(request)).map_err(|failure| match failure.kind {
            ErrorKind::NotFound => Stopped::from(failure).with_hint("check the path given with --source"),
            ErrorKind::InvalidInput => {
                Stopped::from(failure).with_hint("see `gemicro research --help` for examples")
            }
            _ => Stopped::from(failure),
        })
    }
}

fn question(args: &ResearchArgs) -> Result<String, Stopped> {
    match args.question.as_slice() {
        [] => Err(Stopped::usage(
            "there is no question",
            "gemicro \"your question\" --offline --source DIR",
        )),
        [only] if only == "-" => {
            let mut bytes = Vec::new();
            std::io::stdin().take(MAX_STDIN_BYTES).read_to_end(&mut bytes)?;
            String::from_utf8(bytes).map_err(|_| {
                Stopped::usage(
                    "the question on stdin is not UTF-8 text",
                    "give it as UTF-8, or as an argument",
                )
            })
        }
        words => Ok(words.join(" ")),
    }
}
