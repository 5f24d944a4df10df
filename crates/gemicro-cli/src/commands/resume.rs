//! `gemicro resume`: continues a run where it stopped.

use std::path::PathBuf;
use std::sync::Once;

use clap::Args;
use gemicro_core::research::PLAN_QUESTION;
use gemicro_core::run::events::RunReaders;
use gemicro_core::store::{Store, StoreError};
use gemicro_engine::pipeline::later_run;
use gemicro_engine::{AllowedHost, LocalRunService, Plan};
use gemicro_event::{ErrorKind, RunStatus};

use super::research::views;
use super::{batch, run as pipeline};
use crate::answer_source::{AnswerSource, GateArgs};
use crate::args::PrintFormat;
use crate::command_error::CommandError;
use crate::config::readers::parse_host;
use crate::flow_table::{ResumedFlow, flow_row};
use crate::follow::replay;
use crate::output;
use crate::session::{self, Context, find_run, run_error};
use crate::{runtime, signals};

/// Arguments of `gemicro resume`.
#[derive(Debug, Args)]
pub(crate) struct ResumeArgs {
    /// The run: the start of its id, or `last`
    pub(crate) run: String,
    /// Allow fetching from this private or plain-HTTP host, such as 127.0.0.1:8080; repeatable
    #[arg(long = "allow-host", value_name = "HOST", value_parser = parse_host)]
    pub(crate) allow_hosts: Vec<AllowedHost>,
    /// Output format; jsonl prints every event
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: PrintFormat,
    /// Write the result to this file instead of stdout
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Approve the plan without asking
    #[arg(short, long)]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) gates: GateArgs,
}

/// Continues a run and watches it to its end.
pub(crate) fn run(ctx: &Context, args: &ResumeArgs) -> Result<(), CommandError> {
    if let Some(out) = &args.out {
        output::check_target(out)?;
    }
    runtime::block_on(resume(ctx, args))
}

async fn resume(ctx: &Context, args: &ResumeArgs) -> Result<(), CommandError> {
    let stop = signals::listen()?;
    let engine = ctx.engine_allowing(&args.allow_hosts).await?;
    let id = find_run(engine.store(), &args.run).await?;
    let row = engine.store().run(&id).await?;
    let flow = flow_row(&row.flow);
    if !flow.takes_answers && (args.gates.wait || args.gates.decide.is_some()) {
        return Err(CommandError::usage(
            format!(
                "run {id} is a {} run, which takes no --decide and no --wait",
                row.flow
            ),
            format!("gemicro resume {id}"),
        ));
    }
    let deciding = AnswerSource::from_arguments(ctx, &args.gates, Some(&id))?;
    if flow.story.has_board {
        let how = batch::BatchResume {
            run: id,
            status: row.status,
            format: args.format,
            out: args.out.as_deref(),
        };
        return batch::resume(ctx, LocalRunService::new(engine), how, &stop).await;
    }
    if row.status.is_terminal() && (args.format != PrintFormat::Text || args.out.is_some()) {
        let views = views(ctx, &id, args.format, args.out.as_deref());
        let end = replay(&engine, &id, views).await?;
        return pipeline::outcome(&engine, &id, &end).await;
    }
    if row.status.is_terminal() {
        let ended = StoreError::Ended { stream: id.clone() };
        let next = match flow.has_phases && row.status != RunStatus::Completed {
            true => {
                let events = engine.store().read(&id, 0, usize::MAX).await?.events;
                match later_run(engine.store(), &events).await? {
                    Some(later) => format!("A later run worked on its branch: gemicro show {}", later.run),
                    None => match Plan::retry(&events, None) {
                        Ok(_) => format!("To restart from a phase: gemicro retry {id}"),
                        Err(failure) => format!("It cannot be retried: {}", failure.message),
                    },
                }
            }
            false => format!("See it with: gemicro show {id}"),
        };
        output::say(&format!(
            "{ended} ({}); there is nothing to resume. {next}",
            row.status.as_str()
        ));
        return Ok(());
    }
    if flow.has_phases {
        let page = engine.store().read(&id, 0, 1).await?;
        let started = page
            .events
            .first()
            .and_then(|event| event.update.as_run_started());
        // This starts programs and waits for them.
        tokio::task::block_in_place(|| pipeline::ready_again(ctx, started.as_ref()))?;
    }
    if !args.yes && !ctx.screen.stdin_is_terminal && waits_for_approval(&engine, &id).await? {
        return Err(CommandError::new_failure(
            ErrorKind::InvalidInput,
            format!("run {id} waits for its plan to be approved, but stdin is not a terminal"),
            format!("gemicro resume {id} --yes"),
        ));
    }
    let here = LocalRunService::new(engine);
    let watching = here
        .resume_from(&id, stop.clone(), owner_is_gone)
        .await
        .map_err(|failure| run_error(failure, &id))?;
    let resumed = ResumedFlow {
        ctx,
        here: &here,
        watching,
        stop: &stop,
        format: args.format,
        out: args.out.as_deref(),
        yes: args.yes,
        deciding,
    };
    (flow.watch)(resumed).await
}

/// Whether the process that holds the run has died on this machine.
pub(crate) fn owner_is_gone(owner: &str) -> bool {
    static SAID: Once = Once::new();
    let gone = session::is_gone(owner);
    if gone {
        // This is called repeatedly while the lease lasts.
        SAID.call_once(|| {
            output::say("The process of this run has died; taking the run over.");
        });
    }
    gone
}

async fn waits_for_approval(
    engine: &gemicro_engine::Engine,
    id: &gemicro_event::StreamId,
) -> Result<bool, CommandError> {
    let page = engine.store().read(id, 0, usize::MAX).await?;
    let waits = page
        .events
        .iter()
        .fold(false, |waits, event| match event.update.event_type.as_str() {
            "answer_requested" => {
                let asked = event.update.as_answer_requested();
                asked.is_some_and(|asked| asked.key == PLAN_QUESTION)
            }
            "answer_given" => false,
            _ => waits,
        });
    Ok(waits)
}
