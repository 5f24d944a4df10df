//! `gemicro retry`: what failed in a run is asked again, in a run of its own; what was answered stays.

use std::path::PathBuf;

use clap::Args;
use gemicro_core::research::UseAs;
use gemicro_engine::ResearchRequest;

use super::research::{Showing, planned, watch};
use crate::args::Format;
use crate::config::{ResearchFlags, ResearchSettings};
use crate::session::{Context, find_run};
use crate::trouble::Stopped;
use crate::{backend, output, runtime, signals};

/// Arguments of `gemicro retry`.
#[derive(Debug, Args)]
pub(crate) struct RetryArgs {
    /// The run: its id, the beginning of it, or `last`
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    /// How the result is printed; jsonl prints every event
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
    /// Write the result to a file, whole or not at all, instead of stdout
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

/// Starts a run that asks again what failed, and watches it to its end.
pub(crate) fn run(ctx: &Context, args: &RetryArgs) -> Result<(), Stopped> {
    if let Some(out) = &args.out {
        output::check_target(out)?;
    }
    runtime::block_on(retry(ctx, args))
}

async fn retry(ctx: &Context, args: &RetryArgs) -> Result<(), Stopped> {
    let stop = signals::listen()?;
    let engine = ctx.plain_engine().await?;
    let id = find_run(engine.store(), &args.run).await?;
    let (plan, base) = engine.base(&id, UseAs::Retry).await?;
    let settings = ResearchSettings::resolve(&ctx.layers()?, ResearchFlags::default())?;
    let request = ResearchRequest {
        backend: backend::of_plan(&plan),
        question: plan.question,
        // What was read then is what is asked now; only a run that read nothing reads again.
        sources: match base.pack {
            Some(_) => Vec::new(),
            None => plan.sources.iter().map(PathBuf::from).collect(),
        },
        config: plan.config,
        limits: settings.limits()?,
        base: Some(base),
    };
    let run = engine.start(&planned(request)?, stop.clone()).await?;
    let showing = Showing {
        format: args.format,
        out: args.out.as_deref(),
        yes: false,
    };
    watch(ctx, &engine, run, &stop, showing).await
}
